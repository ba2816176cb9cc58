public import PortKit

/// An event and the window that it is for, in that window's coordinates: they may be negative or beyond its size, since a
/// contact stays with the window in which it began.
public struct WindowEvent: EventSystemValue {
  public var windowID: WindowID
  public var event: HIDEvent

  public init(windowID: WindowID, event: HIDEvent) {
    self.windowID = windowID
    self.event = event
  }

  public init(reading reader: inout MessageReader) throws(EventSystemError) {
    windowID = WindowID(rawValue: try reader.readNumber())
    event = try reader.readEvent()
  }

  /// - Precondition: ``HIDEvent/validate()`` accepts the event.
  public func write(to writer: inout MessageWriter) {
    writer.write(windowID.rawValue)
    event.write(to: &writer)
  }
}
