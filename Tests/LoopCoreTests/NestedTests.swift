import LinuxSystem
import TestSupport
import Testing

@testable import LoopCore

/// Case 71, and the programs that lose a wake-up on CFRunLoop (a nested run between the last drain and the sleep).
@Suite struct NestedTests {
  @Test func case71OuterItemsWaitForTheInnerRun() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let source = loop.source { trace.mark("S") }
      loop.keep(.x)
      loop.after(.zero) { _ in
        trace.mark("T1(")
        source.signal()
        loop.run(in: .x, for: .milliseconds(30))
        trace.mark(")")
      }
      loop.after(.milliseconds(10)) { _ in
        trace.mark("T2")
        loop.stop()
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "T1( ) S T2")
    }
  }

  @Test func case71CommonItemsAreServedInside() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.addCommonMode(.x)
      let source = Loop.Source0 { trace.mark("S") }
      loop.add(source, to: .common)
      loop.keep(.x)
      loop.after(.zero) { _ in
        trace.mark("T1(")
        source.signal()
        loop.run(in: .x, for: .milliseconds(5))
        trace.mark(")")
        loop.stop()
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "T1( S )")
    }
  }

  @Test func case71AWakeUpOfTheInnerSleepIsTheInnerRuns() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep(.x)
      let inner = LoopTrace()
      loop.add(inner.observer(), to: .x)
      loop.keep()
      let remote = loop.remote
      let sleeps = Counter()
      loop.observe(.beforeWaiting, in: .x) { _ in sleeps.bump() }
      let other = WorkerThread {
        waitUntil { sleeps.value == 1 && remote.isWaiting }
        remote.wakeUp()
        waitUntil { sleeps.value == 2 && remote.isWaiting }
        remote.stop()
      }
      loop.after(.zero) { _ in
        trace.mark("T1(")
        loop.run(in: .x, for: .seconds(60))
        trace.mark(")")
        loop.after(.milliseconds(20)) { _ in loop.stop() }
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "E BT BS BW AW T1( ) BT BS BW AW X")
      #expect(inner.text == "E BT BS BW AW BT BS BW AW X")
      other.join()
    }
  }

  @Test func activitiesOfANestedRunGoToItsMode() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.addCommonMode(.x)
      let observer = Loop.Observer([.entry, .beforeWaiting, .exit]) { trace.mark(LoopTrace.letter($0)) }
      loop.add(observer, to: .common)
      loop.keep(.x)
      loop.after(.milliseconds(2)) { _ in
        loop.run(in: .x, for: .milliseconds(2))
        loop.stop()
      }
      loop.run(for: .seconds(60))
      #expect(trace.text == "E BW E BW X X")
    }
  }

  @Test func aNestedRunDoesNotSwallowASignal() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      let source = loop.source { trace.mark("S") }
      let signaller = source.signaller
      let remote = loop.remote
      loop.keep(.x)
      loop.add(
        Loop.Observer(.beforeWaiting, repeats: false) { _ in
          let other = WorkerThread {
            waitUntil { remote.isWaiting }
            signaller.signalAndWakeUp()
          }
          // The wake-up comes while the inner run sleeps.
          #expect(loop.run(in: .x, for: .milliseconds(20)) == .timedOut)
          other.join()
        })
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(trace.text == "E BT BS BW AW BT BS S X")
    }
  }

  @Test func aNestedRunDoesNotSwallowAStop() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()
      loop.keep(.x)
      loop.add(
        Loop.Observer(.beforeWaiting, repeats: false) { _ in
          loop.stop()
          #expect(loop.run(in: .x, for: .milliseconds(5)) == .timedOut)
        })
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "E BT BS BW AW X")
    }
  }

  @Test func aNestedRunDoesNotSwallowADeadline() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()
      loop.keep(.x)
      loop.add(
        Loop.Observer(.beforeWaiting, repeats: false) { _ in
          #expect(loop.run(in: .x, for: .milliseconds(30)) == .timedOut)
        })
      #expect(loop.run(for: .milliseconds(10)) == .timedOut)
      #expect(trace.text == "E BT BS BW AW X")
    }
  }

  @Test func aNestedRunInABlockDoesNotSwallowABlockOfAnotherThread() throws {
    try onLoopThread { loop in
      let performed = Counter()
      let remote = loop.remote
      loop.keep()
      loop.keep(.x)
      let source = loop.source {
        loop.perform {
          let other = WorkerThread {
            waitUntil { remote.isWaiting }
            remote.perform {
              performed.bump()
              Loop.current.stop()
            }
          }
          loop.run(in: .x, for: .milliseconds(20))
          other.join()
        }
      }
      source.signal()
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(performed.value == 1)
    }
  }

  @Test func theOuterDeadlineIsJudgedAfterTheInnerRun() throws {
    try onLoopThread { loop in
      loop.keep()
      loop.keep(.x)
      let start = Instant.now
      loop.after(.zero) { _ in loop.run(in: .x, for: .milliseconds(30)) }
      #expect(loop.run(for: .milliseconds(10)) == .timedOut)
      #expect(start.duration(to: .now) >= .milliseconds(30))
    }
  }
}
