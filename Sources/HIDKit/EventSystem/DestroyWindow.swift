public import PortKit

/// Removes a window. Contacts that it has are cancelled, keys that it holds are released, each once.
public struct DestroyWindow: EventSystemRequest {
  public typealias Answer = EventSystemDone

  public static let messageID = EventSystemMessageID.destroyWindow

  public var windowID: WindowID

  public init(windowID: WindowID) { self.windowID = windowID }

  public init(reading reader: inout MessageReader) throws(EventSystemError) {
    windowID = WindowID(rawValue: try reader.readNumber())
  }

  public func write(to writer: inout MessageWriter) { writer.write(windowID.rawValue) }
}
