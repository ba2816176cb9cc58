public import PortKit

/// What became of an injected event, counted in clients.
public struct InjectOutcome: EventSystemValue {
  /// Clients that were given the event and finished it.
  public var delivered: UInt32
  /// Clients that were given the event and ended before they finished it.
  public var cancelled: UInt32
  /// 1 when nothing was hit or everything in it was swallowed, else the clients whose queue had no room for it.
  public var missed: UInt32

  public init(delivered: UInt32 = 0, cancelled: UInt32 = 0, missed: UInt32 = 0) {
    self.delivered = delivered
    self.cancelled = cancelled
    self.missed = missed
  }

  /// The one word for an event in accounts.
  public enum Summary: String, Sendable, Hashable {
    case delivered, cancelled, missed
  }

  /// Cancelled when any client ended, else missed when any got nothing, else delivered.
  public var summary: Summary { cancelled > 0 ? .cancelled : missed > 0 || delivered == 0 ? .missed : .delivered }

  public init(reading reader: inout MessageReader) throws(EventSystemError) {
    self.init(
      delivered: try reader.readNumber(), cancelled: try reader.readNumber(), missed: try reader.readNumber())
  }

  public func write(to writer: inout MessageWriter) {
    writer.write(delivered)
    writer.write(cancelled)
    writer.write(missed)
  }
}
