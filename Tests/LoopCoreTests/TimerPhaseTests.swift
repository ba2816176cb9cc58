import LinuxSystem
import Testing

@testable import LoopCore

/// The exact numbers of cases 25, 26, 36 and 40.
@Suite struct TimerPhaseTests {
  /// Fires of a repeating timer whose callouts end at the given times.
  private func fires(first: Int64, interval: Int64, ends: [Int64]) -> [Int64] {
    var due = Instant(nanoseconds: first)
    return [first]
      + ends.map { end in
        due = TimerPhase.next(after: due, interval: interval, now: Instant(nanoseconds: end))
        return due.nanoseconds
      }
  }

  @Test func case25() {
    #expect(fires(first: 10, interval: 10, ends: [45, 51, 61, 71, 81]) == [10, 50, 60, 70, 80, 90])
  }

  @Test func case26() {
    // The first fire is served at 45.
    #expect(fires(first: 10, interval: 20, ends: [45, 51, 71]) == [10, 50, 70, 90])
  }

  @Test func aDateThatIsJustNowIsPast() {
    #expect(fires(first: 10, interval: 10, ends: [20, 29, 50]) == [10, 30, 40, 60])
  }

  @Test func anEarlyEndGivesTheNextDate() {
    // The callout of a timer never ends before its date, but a clock reading of an instant ago must not go back.
    #expect(fires(first: 10, interval: 10, ends: [9]) == [10, 20])
  }

  @Test func case40ManyMissedDatesCostOneDivision() {
    #expect(fires(first: 0, interval: 1, ends: [200_000_000]) == [0, 200_000_001])
    #expect(fires(first: 0, interval: 1, ends: [.max - 1]) == [0, .max])
    #expect(fires(first: 0, interval: 1, ends: [.max]) == [0, .max])
    #expect(fires(first: 5, interval: .max, ends: [6]) == [5, .max], "an overflow is never")
  }

  @Test func intervals() {
    #expect(TimerPhase.interval(nil) == 0)
    #expect(TimerPhase.interval(.zero) == 0)
    #expect(TimerPhase.interval(.seconds(-1)) == 0)
    #expect(TimerPhase.interval(Duration(secondsComponent: 0, attosecondsComponent: 1)) == 1)
    #expect(TimerPhase.interval(.milliseconds(3)) == 3_000_000)
    #expect(TimerPhase.interval(.seconds(Int64.max)) == .max)
  }
}
