import LinuxSystem

/// Until when wires may stay stopped that bring more copies than there is room for.
///
/// To wait for the end of their holders is not enough: what a stopped wire has in hand or unread may be its own
/// holder's end, or that of another such wire, and then nobody ever hangs up. A wire's time begins when it is stopped
/// and ends when one of its copies was dealt with; it goes on while the wire is tried again over the same copy. Pure:
/// time comes in as an argument.
struct Patience {
  let duration: Duration
  /// All have the same patience, so they stand in the order of their ends.
  private var line = KeyLine<Instant>()

  init(_ duration: Duration = Limits.copyPatience) { self.duration = duration }

  var isEmpty: Bool { line.isEmpty }

  mutating func begin(_ key: UInt64, now: Instant) { line.append(key, now.advanced(by: duration)) }

  mutating func end(_ key: UInt64) { line.remove(key) }

  mutating func endAll() { line.removeAll() }

  /// The next moment at which somebody's patience is over.
  mutating func next() -> Instant? { line.first()?.value }

  /// The wires whose patience is over; they are forgotten here.
  mutating func takeOver(now: Instant) -> [UInt64] {
    var over: [UInt64] = []
    while let (key, until) = line.first(), until <= now {
      line.remove(key)
      over.append(key)
    }
    return over
  }
}
