import LinuxSystem
import Testing

@Suite struct ClockTests {
  @Test func momentsSaturate() {
    let now = Instant.now
    check(now.advanced(by: .seconds(1)).nanoseconds == now.nanoseconds + 1_000_000_000)
    check(now.advanced(by: .seconds(Int64.max)) == .distantFuture)
    check(Instant(nanoseconds: -10).advanced(by: .seconds(Int64.min)) == Instant(nanoseconds: .min))
    check(Instant(nanoseconds: .min).duration(to: .distantFuture) == .nanoseconds(Int64.max))
    check(Instant.distantFuture.duration(to: Instant(nanoseconds: .min)) == .nanoseconds(Int64.min))
    check(now.duration(to: now) == .zero)
  }

  @Test func durationsInNanoseconds() {
    check(Duration.milliseconds(-1).nanosecondsClamped == -1_000_000)
    check(Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999).nanosecondsClamped == 1)
    check(Duration.seconds(Int64.max / 1_000_000_000 + 1).nanosecondsClamped == .max)
    check(Duration.seconds(Int64.min).nanosecondsClamped == .min)
    check(Duration.nanoseconds(Int64.max).nanosecondsClamped == .max)
  }

  @Test func deadlines() {
    check(Deadline(after: nil).isNever && Deadline(after: nil).remainingNanoseconds == -1)
    check(!Deadline(after: nil).hasPassed)
    check(Deadline(after: .zero).remainingNanoseconds == 0)
    check(Deadline(after: .seconds(-5)).hasPassed)
    check(Deadline(after: .seconds(Int64.max)).isNever)
    let soon = Deadline(after: .seconds(100)).remainingNanoseconds
    check(soon > 50_000_000_000 && soon <= 100_000_000_000)
    check(Deadline(Instant(nanoseconds: -1)).remainingNanoseconds == 0)
    check(Deadline(Instant(nanoseconds: .min)).remainingNanoseconds == 0)
  }
}
