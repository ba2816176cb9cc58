import HIDKit
import Testing

@testable import portctl

@Suite struct KeyNamesTests {
  @Test(arguments: [
    ("a", 0x04), ("A", 0x04), ("KEY_A", 0x04), ("1", 0x1E), ("KEY_1", 0x1E), ("enter", 0x28), ("KEY_ENTER", 0x28),
    ("KEY_VOLUMEUP", 0x80), ("volumeup", 0x80), ("volume-up", 0x80), ("key_leftctrl", 0xE0), ("KEY_LEFTSHIFT", 0xE1),
    ("KEY_ESC", 0x29), ("KEY_PAGEUP", 0x4B), ("KEY_SYSRQ", 0x46), ("KEY_LEFTBRACE", 0x2F), ("KEY_DOT", 0x37),
    ("KEY_KP7", 0x5F), ("KEY_KP0", 0x62), ("KEY_KPENTER", 0x58), ("KEY_KPDOT", 0x63), ("KEY_F24", 0x73),
    ("KEY_102ND", 0x64), ("KEY_COMPOSE", 0x65), ("30", 30), ("0x04", 0x04),
  ])
  func theKernelsNamesAndOurs(text: String, code: UInt16) {
    #expect(KeyNames.usage(text) == HIDUsage(rawValue: code))
  }

  @Test(arguments: ["", "KEY_", "key_key_a", "KEY_30", "KEY_0x04", "nokey", "KEY A"])
  func whatIsNone(text: String) { #expect(KeyNames.usage(text) == nil) }

  @Test func everyNameWorksWithThePrefixToo() {
    for name in HIDUsage.names { #expect(KeyNames.usage("KEY_" + name) == HIDUsage(named: name), "\(name)") }
  }
}
