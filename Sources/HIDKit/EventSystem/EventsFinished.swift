public import PortKit

/// A client says that it has dispatched all deliveries up to and including `sequence` to its views.
public struct EventsFinished: EventSystemMessage {
  public static let messageID = EventSystemMessageID.finished

  public var sequence: UInt64

  public init(sequence: UInt64) { self.sequence = sequence }

  public init(reading reader: inout MessageReader) throws(EventSystemError) { sequence = try reader.readNumber() }

  public func write(to writer: inout MessageWriter) { writer.write(sequence) }
}
