import HIDKit
import Testing

@Suite struct HIDUsageTests {
  @Test(arguments: [
    ("a", 0x04), ("Z", 0x1D), ("1", 0x1E), ("0", 0x27), ("return", 0x28), ("Enter", 0x28), ("ESC", 0x29),
    ("space", 0x2C), ("f1", 0x3A), ("F12", 0x45), ("right", 0x4F), ("left", 0x50), ("down", 0x51), ("up", 0x52),
    ("delete", 0x4C), ("keypad-0", 0x62), ("shift", 0xE1), ("right-meta", 0xE7), ("slash", 0x38), ("f24", 0x73),
    ("0x04", 0x04), ("0XE1", 0xE1), ("40", 40), ("65535", 65535),
  ])
  func isFoundByNameAndByCode(text: String, code: UInt16) {
    #expect(HIDUsage(named: text)?.rawValue == code)
  }

  @Test(arguments: ["", "aa", "0x", "0x10000", "65536", "-4", "+4", "0x-4", "00", "0x0", "f25", " a", "1e2"])
  func isNotFound(text: String) {
    #expect(HIDUsage(named: text) == nil)
  }

  @Test func everyNameFindsItsKeyAgain() {
    #expect(HIDUsage.names.count > 120)
    for name in HIDUsage.names { #expect(HIDUsage(named: name) != nil, "\(name)") }
    for code in UInt16(1)...UInt16(1000) {
      let usage = HIDUsage(rawValue: code)
      #expect(HIDUsage(named: usage.name) == usage, "\(code) is called \(usage.name)")
    }
  }

  @Test func constantsAgreeWithTheTable() {
    let named: [(HIDUsage, String)] = [
      (.a, "a"), (.return, "return"), (.escape, "escape"), (.backspace, "backspace"), (.tab, "tab"), (.space, "space"),
      (.delete, "delete"), (.right, "right"), (.left, "left"), (.down, "down"), (.up, "up"),
      (.leftControl, "left-control"), (.leftShift, "left-shift"), (.leftAlt, "left-alt"), (.leftMeta, "left-meta"),
      (.rightControl, "right-control"), (.rightShift, "right-shift"), (.rightAlt, "right-alt"),
      (.rightMeta, "right-meta"),
    ]
    for (usage, name) in named { #expect(usage.name == name) }
  }
}
