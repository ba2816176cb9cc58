import LinuxSystem
import TestSupport
import Testing

@testable import LoopCore

/// Cases 25 to 40. On a busy machine a fire may come later than written in the cases; what must hold then is that every
/// fire is on the phase, that none comes twice, and that the first date not yet past is taken.
/// `TimerPhaseTests` has the cases' exact numbers.
@Suite struct TimerTests {
  private static let millisecond: Int64 = 1_000_000

  /// Fires of one timer: the date that was served, and when the callout ended.
  private final class Fires {
    var due: [Int64] = []
    var ended: [Int64] = []

    func note(_ timer: Loop.Timer) { due.append(timer.due.nanoseconds) }
    func end() { ended.append(Instant.now.nanoseconds) }

    func checkPhase(interval: Int64, from first: Int = 0) {
      for index in (first + 1)..<max(first + 1, due.count) {
        #expect((due[index] - due[first]) % interval == 0, "fire \(index) is off the phase")
        #expect(due[index] > ended[index - 1], "fire \(index) caught up a missed date")
      }
    }
  }

  @Test func case25AnOwnSlowCalloutDropsDates() throws {
    try onLoopThread { loop in
      let fires = Fires()
      loop.every(.milliseconds(10), after: .milliseconds(10)) { timer in
        fires.note(timer)
        if fires.due.count == 1 { dawdle(.milliseconds(35)) }
        if fires.due.count == 4 { loop.stop() }
        fires.end()
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      fires.checkPhase(interval: 10 * Self.millisecond)
      #expect(fires.due[1] >= fires.due[0] + 40 * Self.millisecond)
    }
  }

  @Test func case26ALateTimerFiresOnceAndKeepsItsPhase() throws {
    try onLoopThread { loop in
      let fires = Fires()
      let timer = loop.every(.milliseconds(20), after: .milliseconds(10)) { timer in
        fires.note(timer)
        if fires.due.count == 4 { loop.stop() }
        fires.end()
      }
      let first = timer.due.nanoseconds
      dawdle(.milliseconds(45))
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(fires.due[0] == first)
      #expect(fires.due[1] >= first + 40 * Self.millisecond)
      fires.checkPhase(interval: 20 * Self.millisecond)
    }
  }

  @Test(arguments: [33, 5, -1000])
  func case28ADateSetInTheCallout(milliseconds: Int) throws {
    try onLoopThread { loop in
      let fires = Fires()
      var set: ClosedRange<Int64> = 0...0
      loop.every(.milliseconds(30), after: .milliseconds(10)) { timer in
        fires.note(timer)
        #expect(timer.timeUntilFire <= .zero, "the date is the one just served")
        if fires.due.count == 1 {
          let before = Instant.now.nanoseconds
          timer.setNextFire(after: .milliseconds(milliseconds))
          let delay = Int64(max(0, milliseconds)) * Self.millisecond
          set = (before + delay)...(Instant.now.nanoseconds + delay)
        }
        fires.end()
        if fires.due.count == 3 { loop.stop() }
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(set.contains(fires.due[1]))
      #expect(fires.due[2] > fires.due[1])
      #expect((fires.due[2] - fires.due[1]) % (30 * Self.millisecond) == 0, "the phase starts at the set date")
    }
  }

  @Test func case28TheDateMovesAfterTheCallout() throws {
    try onLoopThread { loop in
      let timer = loop.every(.seconds(100), after: .zero) { _ in loop.stop() }
      let first = timer.due
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(timer.due == first.advanced(by: .seconds(100)))
      #expect(timer.timeUntilFire > .seconds(50))
    }
  }

  @Test func case30ADateSetForASleepingLoop() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let timer = loop.after(.seconds(100)) { _ in
        trace.mark("T")
        loop.stop()
      }
      // A timer is its loop's own; another thread reaches it through a source.
      let mover = loop.source { timer.setNextFire(after: .milliseconds(5)) }
      let remote = loop.remote
      let signaller = mover.signaller
      let other = WorkerThread {
        waitUntil { remote.isWaiting }
        signaller.signalAndWakeUp()
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "T")
      other.join()
    }
  }

  @Test func case30ATimerAddedFromAnotherThread() throws {
    try onLoopThread { loop in
      loop.keep()
      let remote = loop.remote
      let other = WorkerThread {
        waitUntil { remote.isWaiting }
        remote.perform {
          let timer = Loop.Timer(fireAfter: .milliseconds(5)) { _ in Loop.current.stop() }
          Loop.current.add(timer)
        }
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      other.join()
    }
  }

  @Test func case31OverdueTimersFireInOrderInOneTurn() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      for date in [12, 4, 8] { loop.after(.milliseconds(date)) { _ in trace.mark("\(date)") } }
      loop.observe(.beforeTimers) { _ in trace.mark("BT") }
      dawdle(.milliseconds(15))
      #expect(loop.run(for: .zero) == .timedOut)
      #expect(trace.text == "BT 4 8 12")
      trace.clear()
      for name in ["a", "b", "c", "d", "e"] { loop.after(.milliseconds(2)) { _ in trace.mark(name) } }
      dawdle(.milliseconds(3))
      loop.run(for: .zero)
      #expect(trace.text == "BT a b c d e")
    }
  }

  @Test func case33ATimerAddedInAPassWaits() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.observe(.beforeTimers) { _ in trace.mark("BT") }
      let early = Loop.Timer(fireAfter: .zero) { _ in trace.mark("early") }
      loop.after(.zero) { _ in
        trace.mark("A")
        loop.after(.zero) { _ in trace.mark("N") }
        loop.add(early)
      }
      loop.after(.zero) { _ in trace.mark("B") }
      #expect(loop.run(for: .seconds(60)) == .finished)
      #expect(trace.text == "BT A B BT early N")
    }
  }

  @Test func anEarlierCalloutOfAPassChangesLaterOnes() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let invalidated = Loop.Timer(fireAfter: .milliseconds(2)) { _ in trace.mark("invalidated") }
      let moved = Loop.Timer(fireAfter: .milliseconds(3)) { _ in trace.mark("moved") }
      let removed = Loop.Timer(fireAfter: .milliseconds(4)) { _ in trace.mark("removed") }
      let elsewhere = Loop.Timer(fireAfter: .milliseconds(5)) { _ in trace.mark("elsewhere") }
      loop.after(.zero) { _ in
        trace.mark("A")
        invalidated.invalidate()
        moved.setNextFire(after: .seconds(100))
        loop.remove(removed)
        loop.remove(elsewhere)
      }
      for timer in [invalidated, moved, removed, elsewhere] { loop.add(timer) }
      loop.add(elsewhere, to: .x)
      dawdle(.milliseconds(8))
      loop.run(for: .zero)
      // One that is still in another mode of the loop belongs to it, and fires (as in CFRunLoop).
      #expect(trace.text == "A elsewhere")
    }
  }

  @Test func case34ATimerIsNotReentered() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let fires = Fires()
      loop.every(.milliseconds(10), after: .milliseconds(10)) { timer in
        fires.note(timer)
        trace.mark("T(")
        if fires.due.count == 1 { loop.run(for: .milliseconds(33)) }
        trace.mark(")")
        fires.end()
        if fires.due.count == 2 { loop.stop() }
      }
      loop.every(.milliseconds(10), after: .milliseconds(10)) { _ in trace.mark("U") }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text.hasPrefix("T( U"), "the nested run serves the other timer")
      #expect(!trace.text.contains("T( T("))
      let inside = trace.words[..<(trace.words.firstIndex(of: ")") ?? 0)]
      #expect(inside.count { $0 == "T(" } == 1)
      fires.checkPhase(interval: 10 * Self.millisecond)
      #expect(fires.due[1] >= fires.due[0] + 40 * Self.millisecond)
    }
  }

  @Test func case36OneTimerInTwoModes() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let timer = loop.after(.zero) { timer in
        trace.mark("T")
        #expect(timer.isValid && loop.contains(timer, in: .x))
      }
      loop.add(timer, to: .x)
      #expect(loop.run(in: .x, for: .seconds(60)) == .finished)
      #expect(loop.run(for: .seconds(60)) == .finished)
      #expect(trace.text == "T")
      #expect(!timer.isValid)
    }
  }

  @Test func case36ATimerWaitsWhileAnotherModeRuns() throws {
    try onLoopThread { loop in
      let fires = Fires()
      loop.keep(.x)
      loop.every(.milliseconds(10), after: .milliseconds(10)) { timer in
        fires.note(timer)
        fires.end()
        if fires.due.count == 3 { loop.stop() }
      }
      #expect(loop.run(in: .x, for: .milliseconds(47)) == .timedOut)
      #expect(fires.due.isEmpty)
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(fires.due[1] >= fires.due[0] + 40 * Self.millisecond)
      fires.checkPhase(interval: 10 * Self.millisecond)
    }
  }

  @Test func case40OddIntervals() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.observe(.beforeTimers) { _ in trace.mark("BT") }
      for period in [Duration.seconds(-1), .zero] {
        let timer = loop.every(period, after: .zero) { _ in trace.mark("T") }
        #expect(!timer.repeats)
        #expect(loop.run(for: .seconds(60)) == .finished)
        #expect(trace.text == "BT T")
        trace.clear()
      }
      let tiny = loop.every(Duration(secondsComponent: 0, attosecondsComponent: 100_000_000), after: .zero) { _ in
        trace.mark("T")
        if trace.count("T") == 100 { loop.stop() }
      }
      #expect(tiny.repeats)
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.count("BT") >= 100, "at most one fire per turn")
      tiny.invalidate()
    }
  }

  @Test func aOneShotIsOverAfterItsCallout() throws {
    try onLoopThread { loop in
      weak var token: Token?
      let timer: Loop.Timer
      do {
        let held = Token()
        token = held
        timer = loop.after(.zero) { timer in
          withExtendedLifetime(held) {}
          #expect(timer.isValid && loop.contains(timer))
          timer.setNextFire(after: .zero)
          loop.add(timer, to: .x)
        }
      }
      #expect(token != nil)
      #expect(loop.run(for: .seconds(60)) == .finished)
      #expect(!timer.isValid && !loop.contains(timer) && !loop.contains(timer, in: .x))
      #expect(token == nil, "the closure is released with the one-shot's only fire")
      loop.add(timer)
      #expect(loop.run(for: .seconds(60)) == .finished)
    }
  }

  @Test func removingTheLastTimerLeavesNoWake() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.source {}
      loop.add(trace.observer())
      let timer = loop.after(.milliseconds(10)) { _ in trace.mark("T") }
      loop.remove(timer)
      #expect(loop.run(for: .milliseconds(30)) == .timedOut)
      #expect(trace.text == "E BT BS BW AW X")
    }
  }
}
