/// The armed dead-name requests of one mailbox. The kernel knows a descriptor once, so all requests for one right share
/// an entry.
struct WatchTable {
  struct Watch {
    let descriptor: CInt
    var requests: Set<DeadNameRequest>

    /// As they were armed.
    var inOrder: [DeadNameRequest] { requests.sorted { $0.number < $1.number } }
  }

  private var watches: [UInt64: Watch] = [:]
  private var keys: [CInt: UInt64] = [:]

  var count: Int { watches.count }

  mutating func insert(_ descriptor: CInt, _ request: DeadNameRequest, key: UInt64) {
    watches[key] = Watch(descriptor: descriptor, requests: [request])
    keys[descriptor] = key
  }

  /// False when nothing watches this descriptor yet.
  mutating func join(_ descriptor: CInt, _ request: DeadNameRequest) -> Bool {
    guard let key = keys[descriptor] else { return false }
    watches[key]?.requests.insert(request)
    return true
  }

  /// Whether the request was armed, and whether nothing watches the descriptor any more because of this.
  mutating func leave(_ descriptor: CInt, _ request: DeadNameRequest) -> (wasArmed: Bool, isLast: Bool) {
    guard let key = keys[descriptor], watches[key]?.requests.remove(request) != nil else { return (false, false) }
    guard watches[key]?.requests.isEmpty ?? false else { return (true, false) }
    remove(key)
    return (true, true)
  }

  func contains(_ descriptor: CInt, _ request: DeadNameRequest) -> Bool {
    keys[descriptor].flatMap { watches[$0]?.requests.contains(request) } ?? false
  }

  @discardableResult
  mutating func remove(_ key: UInt64) -> Watch? {
    guard let watch = watches.removeValue(forKey: key) else { return nil }
    keys[watch.descriptor] = nil
    return watch
  }

  mutating func removeAll() {
    watches.removeAll()
    keys.removeAll()
  }
}
