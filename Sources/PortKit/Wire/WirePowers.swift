/// What the holder of a wire may do beside sending. Given by the port's owner when the wire is made; copies have none.
struct WirePowers: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  /// Copies that came down this wire have accounts of their own.
  static let introduces = WirePowers(rawValue: 1)
  /// Ports may be kept here by its holder.
  static let keeps = WirePowers(rawValue: 2)
  static let all: WirePowers = [.introduces, .keeps]
}
