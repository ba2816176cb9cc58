import HIDKit

/// Keys as people name them: as HIDKit does, or as the kernel does in input-event-codes.h, with `KEY_` in front or
/// without, in any case.
enum KeyNames {
  static func usage(_ text: String) -> HIDUsage? {
    if let usage = HIDUsage(named: text) { return usage }
    let name = text.lowercased()
    return usages[plain(name.hasPrefix("key_") ? String(name.dropFirst(4)) : name)]
  }

  private static func plain(_ name: String) -> String { name.filter { $0 != "-" } }

  /// Most of the kernel's names are HIDKit's without hyphens; these are not.
  private static let others: [String: String] = [
    "leftctrl": "left-control", "rightctrl": "right-control", "leftbrace": "left-bracket",
    "rightbrace": "right-bracket", "dot": "period", "sysrq": "print-screen", "compose": "application",
    "102nd": "0x64",
  ]

  private static let usages: [String: HIDUsage] = {
    var usages: [String: HIDUsage] = [:]
    for name in HIDUsage.names {
      let plain = plain(name)
      usages[plain] = HIDUsage(named: name)
      if plain.hasPrefix("keypad") { usages["kp" + plain.dropFirst(6)] = HIDUsage(named: name) }
    }
    for (name, ours) in others { usages[name] = HIDUsage(named: ours) }
    usages["kpdot"] = HIDUsage(named: "keypad-period")
    return usages
  }()
}
