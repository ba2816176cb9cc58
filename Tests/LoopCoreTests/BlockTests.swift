import LinuxSystem
import TestSupport
import Testing

@testable import LoopCore

/// Cases 62 to 66.
@Suite struct BlockTests {
  @Test func case62OrderAndModes() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.keep()
      loop.keep(.x)
      loop.perform {
        trace.mark("d1")
        loop.perform(in: [.x]) { trace.mark("x2") }
      }
      loop.perform(in: [.x]) { trace.mark("x1") }
      loop.perform { trace.mark("d2") }
      loop.perform(in: [.x, .default]) { trace.mark("xd") }
      loop.perform(in: [.common]) { trace.mark("c") }
      loop.run(for: .zero)
      #expect(trace.text == "d1 d2 xd c")
      loop.run(in: .x, for: .zero)
      #expect(trace.text == "d1 d2 xd c x1 x2")
    }
  }

  @Test func blocksOfAllThreadsAreOneLine() throws {
    try onLoopThread { loop in
      let order = Monitor<[Int]>([])
      loop.keep()
      loop.perform { order.withLock { $0.append(1) } }
      loop.remote.perform { order.withLock { $0.append(2) } }
      loop.perform { order.withLock { $0.append(3) } }
      loop.run(for: .zero)
      #expect(order.withLock { $0 } == [1, 2, 3])
    }
  }

  @Test func case64ABlockWithoutAWakeUp() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.add(Loop.Observer(.beforeWaiting, repeats: false) { _ in loop.perform { trace.mark("b") } })
      loop.after(.milliseconds(30)) { _ in
        trace.mark("T")
        loop.stop()
      }
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .stopped)
      #expect(trace.text == "E BT BS BW AW T b X")
    }
  }

  @Test func case64ABlockFromAnotherThreadWakes() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()
      let remote = loop.remote
      let performed = Counter()
      let other = WorkerThread {
        waitUntil { remote.isWaiting }
        remote.perform { performed.bump() }
        waitUntil { performed.value == 1 && remote.isWaiting }
        remote.stop()
      }
      // It does not end a run that returns after a source.
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .stopped)
      #expect(trace.text == "E BT BS BW AW BT BS BW AW X")
      other.join()
    }
  }

  @Test func case65ABlockForTheCommonModes() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.keep(.x)
      loop.perform(in: [.common]) { trace.mark("c") }
      loop.run(in: .x, for: .zero)
      #expect(trace.text == "")
      loop.addCommonMode(.x)
      loop.run(in: .x, for: .zero)
      #expect(trace.text == "c")
    }
  }

  @Test func case66ABlockKeepsTheModeForOneCheck() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.perform { trace.mark("b") }
      #expect(loop.run(for: .zero) == .timedOut)
      #expect(trace.text == "E BT BS b X")
      trace.clear()
      // The emptied mode is noticed at the end of the turn, and the turn sleeps.
      loop.perform { trace.mark("b") }
      #expect(loop.run(for: .milliseconds(50)) == .timedOut)
      #expect(trace.text == "E BT BS b BW AW X")
      #expect(loop.run(for: .milliseconds(50)) == .finished)
    }
  }

  @Test func aBlockOfADrainWaitsForTheNext() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.after(.milliseconds(5)) { _ in trace.mark("T") }
      loop.perform {
        trace.mark("b1")
        loop.perform { trace.mark("b2") }
      }
      #expect(loop.run(for: .seconds(60)) == .finished)
      #expect(trace.text == "E BT BS b1 BW AW T b2 X")
    }
  }

  @Test func whatABlockHoldsIsReleasedWhenItWasRun() throws {
    try onLoopThread { loop in
      weak var token: Token?
      do {
        let held = Token()
        token = held
        loop.perform { withExtendedLifetime(held) {} }
      }
      var sawIt = true
      loop.perform { sawIt = token != nil }
      loop.keep()
      #expect(token != nil)
      loop.run(for: .zero)
      #expect(!sawIt)
    }
  }
}
