public import PortKit

/// What anybody may know of a window.
public struct WindowInfo: EventSystemValue {
  public var windowID: WindowID
  public var clientID: ClientID
  /// What the client calls itself.
  public var clientName: String
  /// The client's process as the kernel named it at opening.
  public var processID: Int32
  public var frame: HIDRect
  public var zOrder: Int32
  public var title: String
  /// Keys go to this window.
  public var isFocused: Bool

  public init(
    windowID: WindowID, clientID: ClientID, clientName: String, processID: Int32, frame: HIDRect, zOrder: Int32,
    title: String, isFocused: Bool
  ) {
    self.windowID = windowID
    self.clientID = clientID
    self.clientName = clientName
    self.processID = processID
    self.frame = frame
    self.zOrder = zOrder
    self.title = title
    self.isFocused = isFocused
  }

  public init(reading reader: inout MessageReader) throws(EventSystemError) {
    self.init(
      windowID: WindowID(rawValue: try reader.readNumber()), clientID: ClientID(rawValue: try reader.readNumber()),
      clientName: try reader.readText(), processID: try reader.readNumber(), frame: try reader.readFrame(),
      zOrder: try reader.readNumber(), title: try reader.readText(), isFocused: try reader.readFlag())
  }

  public func write(to writer: inout MessageWriter) {
    writer.write(windowID.rawValue)
    writer.write(clientID.rawValue)
    writer.writeText(clientName)
    writer.write(processID)
    writer.write(frame)
    writer.write(zOrder)
    writer.writeText(title)
    writer.write(isFocused)
  }
}
