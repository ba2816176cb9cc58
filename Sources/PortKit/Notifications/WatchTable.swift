/// The armed dead-name requests of one mailbox. The kernel knows a descriptor once, so all requests for one right share
/// an entry.
struct WatchTable {
  struct Watch {
    let descriptor: CInt
    var requests: [DeadNameRequest]
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
    watches[key]?.requests.append(request)
    return true
  }

  /// Whether the request was armed, and whether nothing watches the descriptor any more because of this.
  mutating func leave(_ descriptor: CInt, _ request: DeadNameRequest) -> (wasArmed: Bool, isLast: Bool) {
    guard let key = keys[descriptor], let index = watches[key]?.requests.firstIndex(of: request) else {
      return (false, false)
    }
    watches[key]?.requests.remove(at: index)
    guard watches[key]?.requests.isEmpty ?? false else { return (true, false) }
    remove(key)
    return (true, true)
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
