public import PortKit

/// Gives a window another frame, another place in the order, or both. It keeps its contacts, whose later positions are
/// told in its new coordinates.
public struct MoveWindow: EventSystemRequest {
  public typealias Answer = EventSystemDone

  public static let messageID = EventSystemMessageID.moveWindow

  public var windowID: WindowID
  /// Nil leaves it as it is.
  public var frame: HIDRect?
  /// Nil leaves it as it is.
  public var zOrder: Int32?

  public init(windowID: WindowID, frame: HIDRect? = nil, zOrder: Int32? = nil) {
    self.windowID = windowID
    self.frame = frame
    self.zOrder = zOrder
  }

  public init(reading reader: inout MessageReader) throws(EventSystemError) {
    windowID = WindowID(rawValue: try reader.readNumber())
    frame = try reader.readFlag() ? try reader.readFrame() : nil
    zOrder = try reader.readFlag() ? try reader.readNumber() : nil
  }

  public func write(to writer: inout MessageWriter) {
    writer.write(windowID.rawValue)
    writer.write(frame != nil)
    if let frame { writer.write(frame) }
    writer.write(zOrder != nil)
    if let zOrder { writer.write(zOrder) }
  }
}
