import LinuxSystem

/// Which deadline comes next: a heap of keys. Pure: time comes in as an argument.
///
/// Most calls end before their deadline, so a removed key only leaves `live`; its entry goes when it comes to the top,
/// or with all other stale ones when they are more than the rest.
struct DeadlineHeap {
  private struct Entry: HeapElement {
    let rank: Instant
    let key: UInt64
  }

  private static let staleKept = 64

  private var heap = Heap<Entry>()
  private var live: Set<UInt64> = []

  var isEmpty: Bool { live.isEmpty }
  var entries: Int { heap.count }

  /// A key is used once.
  mutating func insert(_ key: UInt64, due: Instant) {
    live.insert(key)
    heap.push(Entry(rank: due, key: key))
  }

  /// False when it has left already.
  @discardableResult
  mutating func remove(_ key: UInt64) -> Bool {
    guard live.remove(key) != nil else { return false }
    if heap.count > 2 * live.count + Self.staleKept {
      heap.rebuild { live.contains($0.key) ? $0 : nil }
    }
    return true
  }

  /// The earliest deadline that still counts.
  mutating func earliest() -> Instant? {
    while let first = heap.first {
      if live.contains(first.key) { return first.rank }
      _ = heap.popFirst()
    }
    return nil
  }

  /// Takes one key that is due, the earliest first.
  mutating func popDue(by now: Instant) -> UInt64? {
    guard let due = earliest(), due <= now, let entry = heap.popFirst() else { return nil }
    live.remove(entry.key)
    return entry.key
  }
}
