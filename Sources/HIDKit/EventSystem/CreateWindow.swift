public import PortKit

/// Makes a window that takes touches in its frame. Among windows of one `zOrder` the newest is on top, and the newest
/// of all has the focus for keys.
public struct CreateWindow: EventSystemRequest {
  public static let messageID = EventSystemMessageID.createWindow

  /// On the display, in points; not empty. It may reach beyond the display.
  public var frame: HIDRect
  /// Higher is nearer to the user.
  public var zOrder: Int32
  /// For listings; at most ``HIDLimits/textBytes``.
  public var title: String

  /// When the client first made it, in nanoseconds of CLOCK_MONOTONIC: "newest" is judged by it, so that stacking and
  /// focus are the same again when windows are put back at a new broker. 0, and any moment in the future, mean now.
  public var createdNanoseconds: Int64

  public init(frame: HIDRect, zOrder: Int32 = 0, title: String = "", createdNanoseconds: Int64 = 0) {
    self.frame = frame
    self.zOrder = zOrder
    self.title = title
    self.createdNanoseconds = createdNanoseconds
  }

  public init(reading reader: inout MessageReader) throws(EventSystemError) {
    frame = try reader.readFrame()
    zOrder = try reader.readNumber()
    title = try reader.readText()
    createdNanoseconds = try reader.readNumber()
  }

  /// - Precondition: the title is within its limit.
  public func write(to writer: inout MessageWriter) {
    writer.write(frame)
    writer.write(zOrder)
    writer.writeText(title)
    writer.write(createdNanoseconds)
  }

  public struct Answer: EventSystemValue {
    public var windowID: WindowID

    public init(windowID: WindowID) { self.windowID = windowID }

    public init(reading reader: inout MessageReader) throws(EventSystemError) {
      windowID = WindowID(rawValue: try reader.readNumber())
    }

    public func write(to writer: inout MessageWriter) { writer.write(windowID.rawValue) }
  }
}
