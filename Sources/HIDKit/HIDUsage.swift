/// A key by its number on usage page 7 of the HID usage tables: a place on the keyboard, not a character.
public struct HIDUsage: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  public var rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The key that a person names: a name of ``names`` in any case, a decimal number, or a hexadecimal one after `0x`.
  /// Digits name their keys, so numbers of one digit are keys and not codes. Nil when nothing of this fits, or a code is 0.
  public init?(named text: String) {
    let lowered = text.lowercased()
    if let usage = Self.usagesByName[lowered] {
      self = usage
      return
    }
    let code =
      lowered.hasPrefix("0x") ? Self.code(lowered.dropFirst(2), radix: 16) : Self.code(lowered[...], radix: 10)
    guard let code, code != 0 else { return nil }
    self.init(rawValue: code)
  }

  /// The shortest way to name it that ``init(named:)`` understands.
  public var name: String { Self.namesByUsage[self] ?? "0x" + String(rawValue, radix: 16) }

  public var description: String { name }

  /// All names: first those in the order of their codes, then the second names of some keys.
  public static var names: [String] { table.map(\.name) }

  /// Only digits: `UInt16` itself would also take a sign.
  private static func code(_ text: Substring, radix: Int) -> UInt16? {
    guard text.allSatisfy(\.isHexDigit) else { return nil }
    return UInt16(text, radix: radix)
  }
}

extension HIDUsage {
  public static let a = HIDUsage(rawValue: 0x04)
  public static let `return` = HIDUsage(rawValue: 0x28)
  public static let escape = HIDUsage(rawValue: 0x29)
  public static let backspace = HIDUsage(rawValue: 0x2A)
  public static let tab = HIDUsage(rawValue: 0x2B)
  public static let space = HIDUsage(rawValue: 0x2C)
  public static let delete = HIDUsage(rawValue: 0x4C)
  public static let right = HIDUsage(rawValue: 0x4F)
  public static let left = HIDUsage(rawValue: 0x50)
  public static let down = HIDUsage(rawValue: 0x51)
  public static let up = HIDUsage(rawValue: 0x52)
  public static let leftControl = HIDUsage(rawValue: 0xE0)
  public static let leftShift = HIDUsage(rawValue: 0xE1)
  public static let leftAlt = HIDUsage(rawValue: 0xE2)
  public static let leftMeta = HIDUsage(rawValue: 0xE3)
  public static let rightControl = HIDUsage(rawValue: 0xE4)
  public static let rightShift = HIDUsage(rawValue: 0xE5)
  public static let rightAlt = HIDUsage(rawValue: 0xE6)
  public static let rightMeta = HIDUsage(rawValue: 0xE7)

  /// Codes and names, the preferred name of a key first.
  private static let table: [(name: String, usage: HIDUsage)] = {
    var rows: [(String, UInt16)] = []
    func run(_ first: UInt16, _ names: [String]) {
      for (offset, name) in names.enumerated() { rows.append((name, first + UInt16(offset))) }
    }
    run(0x04, "abcdefghijklmnopqrstuvwxyz".map(String.init))
    run(0x1E, "1234567890".map(String.init))
    run(0x28, ["return", "escape", "backspace", "tab", "space", "minus", "equal", "left-bracket", "right-bracket"])
    run(0x31, ["backslash", "non-us-hash", "semicolon", "apostrophe", "grave", "comma", "period", "slash"])
    run(0x39, ["caps-lock"] + (1...12).map { "f\($0)" })
    run(0x46, ["print-screen", "scroll-lock", "pause", "insert", "home", "page-up", "delete", "end", "page-down"])
    run(0x4F, ["right", "left", "down", "up"])
    run(0x53, ["num-lock", "keypad-slash", "keypad-asterisk", "keypad-minus", "keypad-plus", "keypad-enter"])
    run(0x59, (1...9).map { "keypad-\($0)" } + ["keypad-0", "keypad-period"])
    run(0x65, ["application"])
    run(0x66, ["power"])
    run(0x68, (13...24).map { "f\($0)" })
    run(0x7F, ["mute", "volume-up", "volume-down"])
    run(0xE0, ["left-control", "left-shift", "left-alt", "left-meta"])
    run(0xE4, ["right-control", "right-shift", "right-alt", "right-meta"])
    rows += [("enter", 0x28), ("esc", 0x29), ("ctrl", 0xE0), ("control", 0xE0), ("shift", 0xE1)]
    rows += [("alt", 0xE2), ("option", 0xE2), ("meta", 0xE3), ("command", 0xE3), ("super", 0xE3)]
    return rows.map { (name: $0.0, usage: HIDUsage(rawValue: $0.1)) }
  }()

  private static let usagesByName = Dictionary(uniqueKeysWithValues: table.map { ($0.name, $0.usage) })
  private static let namesByUsage = Dictionary(
    table.map { ($0.usage, $0.name) }, uniquingKeysWith: { first, _ in first })
}
