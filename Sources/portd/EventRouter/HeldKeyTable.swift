import HIDKit

/// Names a key that is down.
struct HeldKeyID: Hashable, Comparable, Sendable {
  let sender: UInt64
  let usagePage: UInt16
  let usage: HIDUsage

  static func < (a: HeldKeyID, b: HeldKeyID) -> Bool {
    (a.sender, a.usagePage, a.usage.rawValue) < (b.sender, b.usagePage, b.usage.rawValue)
  }
}

/// A key from its down to its up.
struct HeldKey: Hashable, Sendable {
  let id: HeldKeyID
  let isInjected: Bool
  /// Fixed at the down, whatever the focus does. Nil: swallowed till its up.
  var target: EventTarget?
  /// The target's client died under it.
  var isOrphaned = false
}

/// The keys that are down, each once.
struct HeldKeyTable {
  private var keys: [HeldKeyID: HeldKey] = [:]
  private var counts: [UInt64: Int] = [:]

  var count: Int { keys.count }

  subscript(id: HeldKeyID) -> HeldKey? { keys[id] }

  func hasRoom(for sender: UInt64) -> Bool { counts[sender, default: 0] < BrokerLimits.keysPerSender }

  /// Keys that `predicate` accepts, always in the same order.
  func keys(where predicate: (HeldKey) -> Bool) -> [HeldKey] {
    keys.values.filter(predicate).sorted { $0.id < $1.id }
  }

  /// - Precondition: the key is not held and its sender has room.
  mutating func insert(_ key: HeldKey) {
    precondition(keys[key.id] == nil && hasRoom(for: key.id.sender), "key has no place")
    keys[key.id] = key
    counts[key.id.sender, default: 0] += 1
  }

  @discardableResult
  mutating func remove(_ id: HeldKeyID) -> HeldKey? {
    guard let key = keys.removeValue(forKey: id) else { return nil }
    counts[id.sender, default: 0] -= 1
    if counts[id.sender] == 0 { counts[id.sender] = nil }
    return key
  }

  /// From now on its sender's words are swallowed till the key's up.
  mutating func swallow(_ id: HeldKeyID) { keys[id]?.target = nil }

  /// The same, because its client is gone.
  mutating func orphan(_ id: HeldKeyID) {
    keys[id]?.target = nil
    keys[id]?.isOrphaned = true
  }

  func checkInvariants() -> [String] {
    var faults: [String] = []
    if counts.values.reduce(0, +) != keys.count { faults.append("keys and senders' counts differ") }
    if !counts.values.allSatisfy({ 1...BrokerLimits.keysPerSender ~= $0 }) { faults.append("keys of a sender") }
    return faults
  }
}
