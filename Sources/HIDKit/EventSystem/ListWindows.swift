public import PortKit

/// Asks for all windows, from the top to the bottom.
public struct ListWindows: EventSystemRequest {
  public static let messageID = EventSystemMessageID.listWindows

  public init() {}

  public init(reading reader: inout MessageReader) throws(EventSystemError) {}

  public func write(to writer: inout MessageWriter) {}

  public struct Answer: EventSystemValue {
    /// At most ``HIDLimits/windowsPerListing``.
    public var windows: [WindowInfo]

    public init(windows: [WindowInfo]) { self.windows = windows }

    public init(reading reader: inout MessageReader) throws(EventSystemError) {
      windows = []
      for _ in 0..<(try reader.readCount(limit: HIDLimits.windowsPerListing)) {
        windows.append(try WindowInfo(reading: &reader))
      }
    }

    /// - Precondition: the list and its texts are within their limits.
    public func write(to writer: inout MessageWriter) {
      precondition(windows.count <= HIDLimits.windowsPerListing, "more windows than HIDLimits.windowsPerListing")
      writer.write(UInt16(windows.count))
      for window in windows { window.write(to: &writer) }
    }
  }
}
