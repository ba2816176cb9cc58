import Glibc

/// A moment of CLOCK_MONOTONIC, in nanoseconds since boot without suspend. All processes of the machine share it.
package struct Instant: Hashable, Comparable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Later than every other moment: "no deadline".
  package static let distantFuture = Instant(nanoseconds: .max)

  package static var now: Instant { Instant(nanoseconds: clockNanoseconds(CLOCK_MONOTONIC)) }

  /// As of the kernel's last tick, 1 to 10 ms ago: enough to tell one burst of work from the next, and read faster.
  package static var lastTick: Instant { Instant(nanoseconds: clockNanoseconds(CLOCK_MONOTONIC_COARSE)) }

  package static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Saturates: a very long duration gives `distantFuture`.
  package func advanced(by duration: Duration) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanosecondsClamped)
    return overflow ? (duration < .zero ? Instant(nanoseconds: .min) : .distantFuture) : Instant(nanoseconds: sum)
  }

  package func duration(to other: Instant) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return .nanoseconds(overflow ? (other > self ? .max : .min) : difference)
  }
}

/// CLOCK_REALTIME in nanoseconds: comparable with the stamps that the kernel puts on packets.
package func wallClockNanoseconds() -> Int64 { clockNanoseconds(CLOCK_REALTIME) }

@inline(__always)
private func clockNanoseconds(_ clock: clockid_t) -> Int64 {
  var time = timespec()
  _ = unsafe clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

extension Duration {
  /// Whole nanoseconds, rounded towards zero, saturated to 64 bits (about 292 years).
  package var nanosecondsClamped: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carried ? (seconds < 0 ? .min : .max) : sum
  }
}

/// The moment at which a wait gives up.
package struct Deadline: Hashable, Sendable {
  package let instant: Instant

  package init(_ instant: Instant) { self.instant = instant }

  /// Nil waits for ever; zero and negative durations never wait.
  package init(after timeout: Duration?) {
    guard let timeout else { self.instant = .distantFuture; return }
    self.instant = timeout <= .zero ? Instant(nanoseconds: 0) : Instant.now.advanced(by: timeout)
  }

  package var isNever: Bool { instant == .distantFuture }

  /// What a kernel wait takes: -1 for ever, 0 not at all.
  package var remainingNanoseconds: Int64 {
    if isNever { return -1 }
    // Moments before the clock's beginning come from saturated sums; subtracting from them would overflow.
    if instant.nanoseconds <= 0 { return 0 }
    return max(0, instant.nanoseconds - Instant.now.nanoseconds)
  }

  /// This one, or the moment after `pause` if that comes first.
  package func orAfter(_ pause: Duration) -> Deadline {
    Deadline(min(instant, Instant.now.advanced(by: pause)))
  }

  package var hasPassed: Bool { remainingNanoseconds == 0 }
}

/// Sleeps until the moment has come; at once when it has passed.
package func sleepUntil(_ instant: Instant) {
  var time = timespec(
    tv_sec: Int(max(0, instant.nanoseconds) / 1_000_000_000), tv_nsec: Int(max(0, instant.nanoseconds) % 1_000_000_000))
  while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
}
