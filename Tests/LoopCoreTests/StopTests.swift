import LinuxSystem
import TestSupport
import Testing

@testable import LoopCore

/// Cases 13 to 18.
@Suite struct StopTests {
  @Test func case13StopWithoutARun() throws {
    try onLoopThread { loop in
      loop.keep()
      loop.stop()
      #expect(loop.run(for: .milliseconds(20)) == .timedOut)
      let observer = loop.observe(.exit) { _ in loop.stop() }
      #expect(loop.run(for: .zero) == .timedOut)
      observer.invalidate()
      #expect(loop.run(for: .milliseconds(20)) == .timedOut)
    }
  }

  @Test func case14StopFromAnotherThread() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()
      let remote = loop.remote
      let other = WorkerThread {
        waitUntil { remote.isWaiting }
        remote.stop()
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "E BT BS BW AW X")
      other.join()
    }
  }

  @Test func case15StopsEndTheInnermostRun() throws {
    try onLoopThread { loop in
      loop.keep()
      var inner: Loop.RunResult?
      loop.after(.milliseconds(10), in: .x) { _ in
        loop.stop()
        loop.stop()
      }
      loop.keep(.x)
      loop.after(.zero) { _ in inner = loop.run(in: .x, for: .seconds(60)) }
      #expect(loop.run(for: .milliseconds(50)) == .timedOut)
      #expect(inner == .stopped)
    }
  }

  @Test func case15StopsFromAnotherThread() throws {
    try onLoopThread { loop in
      loop.keep()
      loop.keep(.x)
      var inner: Loop.RunResult?
      let innerEnded = Counter()
      loop.after(.zero) { _ in
        inner = loop.run(in: .x, for: .seconds(60))
        innerEnded.bump()
      }
      let remote = loop.remote
      let other = WorkerThread {
        waitUntil { remote.isWaiting }
        remote.stop()
        waitUntil { innerEnded.value == 1 && remote.isWaiting }
        remote.stop()
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(inner == .stopped)
      other.join()
    }
  }

  @Test func aStopBeforeANestedRunWaitsForTheOuterOne() throws {
    try onLoopThread { loop in
      loop.keep()
      loop.after(.milliseconds(5), in: .x) { _ in }
      var inner: Loop.RunResult?
      loop.after(.zero) { _ in
        loop.stop()
        inner = loop.run(in: .x, for: .seconds(60))
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(inner == .finished)
    }
  }

  @Test func case17StopFromAnEntryObserver() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()
      loop.observe(.entry) { _ in loop.stop() }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "E X")
    }
  }

  @Test func case18StopFromObserversOfATurn() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()

      let source = loop.source { trace.mark("S") }
      source.signal()
      var stopper = loop.observe(.beforeTimers) { _ in loop.stop() }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "E BT BS S X")
      stopper.invalidate()
      trace.clear()

      stopper = loop.observe(.beforeWaiting) { _ in loop.stop() }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "E BT BS BW AW X")
      stopper.invalidate()
      trace.clear()

      stopper = loop.observe(.afterWaiting) { _ in loop.stop() }
      loop.after(.milliseconds(5)) { _ in trace.mark("T") }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "E BT BS BW AW T X")
    }
  }
}
