public import HIDKit

/// A key that went down or up for a window.
public struct KeyPress: Hashable, Sendable {
  public let key: KeyboardEvent
  public let stamps: HopStamps
}
