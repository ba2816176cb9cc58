import LinuxSystem

/// Makes a poller's descriptor readable for what no member of it shows: mail in hand, a thread that must come back.
/// Takes its descriptor when it is first needed; from then on it cannot fail.
struct Doorbell: ~Copyable {
  static let key: UInt64 = 0

  private var counter: EventCounter?
  private var isRung = false

  var exists: Bool {
    switch counter {
    case .some: true
    case .none: false
    }
  }

  mutating func install(in poller: borrowing Poller) throws(Errno) {
    if exists { return }
    let counter = try EventCounter()
    try poller.add(counter.descriptor.number, .readable, key: Self.key)
    self.counter = consume counter
  }

  mutating func set(_ wanted: Bool) {
    if wanted == isRung || !exists { return }
    isRung = wanted
    if wanted { counter?.ring() } else { counter?.clear() }
  }
}
