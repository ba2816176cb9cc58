public import PortKit

/// Sends one event as if a device had made it. The answer comes when its outcome is known: every client that it was
/// delivered to has finished it or is gone.
public struct InjectEvent: EventSystemRequest {
  public typealias Answer = InjectOutcome

  public static let messageID = EventSystemMessageID.inject

  public var event: HIDEvent

  public init(event: HIDEvent) { self.event = event }

  public init(reading reader: inout MessageReader) throws(EventSystemError) {
    event = try reader.readEvent()
    for contact in event.contacts {
      for number in [contact.x, contact.y] {
        guard number.magnitude <= HIDLimits.displayCoordinate else { throw .coordinateOutOfRange(number) }
      }
    }
  }

  /// - Precondition: ``HIDEvent/validate()`` accepts the event.
  public func write(to writer: inout MessageWriter) { event.write(to: &writer) }
}
