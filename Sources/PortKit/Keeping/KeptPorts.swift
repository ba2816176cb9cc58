import LinuxSystem

/// The ports of others that one port keeps, and those among them whose owners are gone.
struct KeptPorts {
  private static let flag = MailboxState.watchFlag | 1 << 61
  private static let kinds: UInt64 = 7 << 61

  private var ports: [UInt64: KeptPort] = [:]
  private var nextKey = flag
  /// For the notices that are in hand, in their order.
  private var orphans = Fifo<ReceiveBox>()

  static func isKey(_ key: UInt64) -> Bool { key & kinds == flag }

  var isInUse: Bool { !ports.isEmpty || !orphans.isEmpty }
  var count: Int { ports.count }

  subscript(key: UInt64) -> KeptPort? { ports[key] }

  mutating func insert(_ port: KeptPort) -> UInt64 {
    nextKey += 1
    ports[nextKey] = port
    return nextKey
  }

  mutating func remove(_ key: UInt64) { ports[key] = nil }

  mutating func add(orphan: ReceiveBox) { orphans.append(orphan) }

  mutating func takeOrphan() -> ReceiveBox? { orphans.popFirst() }

  mutating func removeAll() {
    ports.removeAll()
    orphans.removeAll()
  }
}
