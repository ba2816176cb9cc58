package import LinuxSystem

/// When a repeating timer is due next.
package enum TimerPhase {
  /// The first instant strictly after `now` on the grid `due + k * interval`: the phase is kept, missed dates are
  /// dropped. One division, however many were missed. `interval` is in nanoseconds, at least 1.
  package static func next(after due: Instant, interval: Int64, now: Instant) -> Instant {
    assert(interval > 0)
    let late = max(0, now.nanoseconds - due.nanoseconds)
    let last = due.nanoseconds + (late - late % interval)
    let (next, overflows) = last.addingReportingOverflow(interval)
    return overflows ? .distantFuture : Instant(nanoseconds: next)
  }

  /// Nanoseconds of a period. Zero and negative ones mean "once" and give 0; a positive one is at least a nanosecond.
  package static func interval(_ period: Duration?) -> Int64 {
    guard let period, period > .zero else { return 0 }
    return max(1, period.nanosecondsClamped)
  }
}
