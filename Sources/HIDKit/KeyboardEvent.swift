/// One change of one key.
public struct KeyboardEvent: Sendable, Hashable {
  /// The page of the keys: 7 in the HID usage tables.
  public static let keyboardPage: UInt16 = 7

  public var usagePage: UInt16
  public var usage: HIDUsage
  public var isDown: Bool

  /// The key was down before and still is. Always false when ``isDown`` is.
  public var isRepeat: Bool

  public init(usagePage: UInt16 = keyboardPage, usage: HIDUsage, isDown: Bool, isRepeat: Bool = false) {
    self.usagePage = usagePage
    self.usage = usage
    self.isDown = isDown
    self.isRepeat = isDown && isRepeat
  }
}
