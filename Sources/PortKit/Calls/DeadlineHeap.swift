import LinuxSystem

/// Which deadline comes next: a binary heap of keys. Pure: time comes in as an argument.
///
/// Most calls end before their deadline, so a removed key only leaves `live`; its entry goes when it comes to the top,
/// or with all other stale ones when they are more than the rest.
struct DeadlineHeap {
  private struct Entry {
    let due: Instant
    let key: UInt64
  }

  private static let staleKept = 64

  private var heap: [Entry] = []
  private var live: Set<UInt64> = []

  var isEmpty: Bool { live.isEmpty }
  var entries: Int { heap.count }

  /// A key is used once.
  mutating func insert(_ key: UInt64, due: Instant) {
    live.insert(key)
    push(Entry(due: due, key: key))
  }

  /// False when it has left already.
  @discardableResult
  mutating func remove(_ key: UInt64) -> Bool {
    guard live.remove(key) != nil else { return false }
    if heap.count > 2 * live.count + Self.staleKept {
      let old = heap
      heap.removeAll(keepingCapacity: true)
      for entry in old where live.contains(entry.key) { push(entry) }
    }
    return true
  }

  /// The earliest deadline that still counts.
  mutating func earliest() -> Instant? {
    while let first = heap.first {
      if live.contains(first.key) { return first.due }
      popFirst()
    }
    return nil
  }

  /// Takes one key that is due, the earliest first.
  mutating func popDue(by now: Instant) -> UInt64? {
    guard let due = earliest(), due <= now else { return nil }
    let key = heap[0].key
    popFirst()
    live.remove(key)
    return key
  }

  private mutating func push(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      if heap[parent].due <= heap[child].due { return }
      heap.swapAt(parent, child)
      child = parent
    }
  }

  private mutating func popFirst() {
    let last = heap.removeLast()
    if heap.isEmpty { return }
    heap[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      if child >= heap.count { return }
      if child + 1 < heap.count, heap[child + 1].due < heap[child].due { child += 1 }
      if heap[parent].due <= heap[child].due { return }
      heap.swapAt(parent, child)
      parent = child
    }
  }
}
