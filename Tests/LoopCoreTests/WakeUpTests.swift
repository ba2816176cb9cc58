import LinuxSystem
import TestSupport
import Testing

@testable import LoopCore

/// Cases 20 to 22, and what a wake-up must not do.
@Suite struct WakeUpTests {
  @Test func case20AWakeUpBetweenRunsIsDropped() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()
      loop.wakeUp()
      loop.remote.wakeUp()
      #expect(loop.run(for: .milliseconds(30)) == .timedOut)
      #expect(trace.text == "E BT BS BW AW X")
    }
  }

  @Test func case21AWakeUpWhileServingIsDropped() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()
      loop.after(.milliseconds(5)) { _ in
        trace.mark("T")
        loop.wakeUp()
      }
      #expect(loop.run(for: .milliseconds(200)) == .timedOut)
      #expect(trace.text == "E BT BS BW AW T BT BS BW AW X")
    }
  }

  @Test func case22AWakeUpBeforeTheSleep() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()
      loop.add(Loop.Observer(.beforeTimers, repeats: false) { _ in loop.wakeUp() })
      #expect(loop.run(for: .milliseconds(30)) == .timedOut)
      #expect(trace.text == "E BT BS BW AW BT BS BW AW X")
      trace.clear()

      let remote = loop.remote
      loop.add(
        Loop.Observer(.beforeSources, repeats: false) { _ in
          WorkerThread { for _ in 0..<100 { remote.wakeUp() } }.join()
        })
      #expect(loop.run(for: .milliseconds(30)) == .timedOut)
      #expect(trace.text == "E BT BS BW AW BT BS BW AW X")
    }
  }

  @Test func case22WakeUpsWhileAsleep() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()
      let sleeps = Counter()
      loop.observe(.beforeWaiting) { _ in sleeps.bump() }
      let remote = loop.remote
      let other = WorkerThread {
        for turn in 1...2 {
          waitUntil { sleeps.value == turn && remote.isWaiting }
          remote.wakeUp()
        }
        waitUntil { sleeps.value == 3 && remote.isWaiting }
        remote.stop()
      }
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .stopped)
      #expect(trace.text == "E BT BS BW AW BT BS BW AW BT BS BW AW X")
      other.join()
    }
  }

  @Test func aWakeUpFromAnEntryObserverCounts() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()
      loop.observe(.entry) { _ in loop.wakeUp() }
      #expect(loop.run(for: .milliseconds(30)) == .timedOut)
      #expect(trace.text == "E BT BS BW AW BT BS BW AW X")
    }
  }

  @Test func anOldRingIsSleptOver() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.keep()
      loop.keep(.x)
      // Both modes have a poller now, and the bell is an edge for both.
      loop.run(for: .milliseconds(1))
      loop.run(in: .x, for: .milliseconds(1))
      let remote = loop.remote
      let other = WorkerThread {
        waitUntil { remote.isWaiting }
        remote.stop()
      }
      #expect(loop.run(in: .x, for: .seconds(60)) == .stopped)
      other.join()
      loop.add(trace.observer())
      #expect(loop.run(for: .milliseconds(30)) == .timedOut)
      #expect(trace.text == "E BT BS BW AW X")
    }
  }

  @Test func isWaitingIsTrueOnlyInTheSleep() throws {
    try onLoopThread { loop in
      loop.keep()
      var seen: [Bool] = []
      loop.observe([.entry, .beforeWaiting, .afterWaiting, .exit]) { _ in seen.append(loop.remote.isWaiting) }
      loop.run(for: .milliseconds(5))
      #expect(seen == [false, false, false, false])
    }
  }

  @Test func noWakeUpIsLostInAFlood() throws {
    // Each hand-over must be noticed, whatever the loop is just doing.
    try onLoopThread { loop in
      let count = 2_000
      var performed = 0
      let taken = Counter()
      let source = loop.source {
        performed += 1
        taken.bump()
        if performed == count { loop.stop() }
      }
      let signaller = source.signaller
      let other = WorkerThread {
        for number in 0..<count {
          signaller.signalAndWakeUp()
          while taken.value == number {}
        }
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(performed == count)
      other.join()
    }
  }
}
