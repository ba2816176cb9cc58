import LinuxSystem

/// Makes a poller's descriptor readable from a moment on, so that who sleeps there looks up. Has a descriptor only
/// while there is such a moment.
struct Alarm: ~Copyable {
  static let key: UInt64 = 1

  private var timer: TimerDescriptor?
  private(set) var moment: Instant?

  /// Without a free descriptor no moment is set: who looks by himself sees in time what is to be done.
  mutating func set(_ next: Instant?, in poller: borrowing Poller) {
    if next == moment { return }
    guard let next else { return remove(from: poller) }
    if moment == nil {
      guard let fresh = try? TimerDescriptor(),
        (try? poller.add(fresh.descriptor.number, .readable, key: Self.key)) != nil
      else { return }
      timer = consume fresh
    }
    timer?.set(next)
    moment = next
  }

  private mutating func remove(from poller: borrowing Poller) {
    if let number = timer?.descriptor.number { poller.remove(number) }
    timer = nil
    moment = nil
  }
}
