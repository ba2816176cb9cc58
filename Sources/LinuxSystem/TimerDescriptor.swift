import CPortShims

/// A timerfd of CLOCK_MONOTONIC: readable from a moment on. Any thread may set it while another one polls it.
package struct TimerDescriptor: ~Copyable, Sendable {
  package let descriptor: Descriptor

  package init() throws(Errno) {
    descriptor = Descriptor(owning: CInt(try Syscall.check("timerfd_create") { Int(cps_timerfd()) }))
  }

  /// Replaces the earlier moment and makes the descriptor unreadable until the new one; `distantFuture` is never.
  package borrowing func set(_ instant: Instant) {
    // Zero would switch the timer off; the moments before it are long past.
    let moment = instant == .distantFuture ? 0 : max(1, instant.nanoseconds)
    let result = cps_timerfd_set(descriptor.number, moment)
    precondition(result == 0, "timerfd_settime: \(Errno(rawValue: -result))")
  }
}
