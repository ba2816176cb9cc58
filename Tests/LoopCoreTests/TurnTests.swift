import LinuxSystem
import TestSupport
import Testing

@testable import LoopCore

/// Order of a turn and results: cases 1 to 12.
@Suite struct TurnTests {
  @Test func case01OrderOfATurn() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.perform { trace.mark("b1") }
      let source = loop.source {
        trace.mark("S")
        loop.perform { trace.mark("b2") }
      }
      source.signal()
      loop.after(.milliseconds(20)) { _ in
        trace.mark("T")
        loop.perform { trace.mark("b3") }
      }
      #expect(loop.run(for: .milliseconds(300)) == .timedOut)
      #expect(trace.text == "E BT BS b1 S b2 BT BS BW AW T b3 BT BS BW AW X")
    }
  }

  @Test func case02PollRuns() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()
      for duration in [Duration.zero, .seconds(-5), .seconds(Int64.min)] {
        trace.clear()
        #expect(loop.run(for: duration) == .timedOut)
        #expect(trace.text == "E BT BS X")
        trace.clear()
        loop.after(.zero) { _ in trace.mark("T") }
        #expect(loop.run(for: duration) == .timedOut)
        #expect(trace.text == "E BT BS T X")
      }
    }
  }

  @Test func aTinyDurationIsNoPoll() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.keep()
      #expect(loop.run(for: .nanoseconds(100)) == .timedOut)
      #expect(trace.text == "E BT BS BW AW X")
    }
  }

  @Test func case04SourceThenOverdueTimer() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.source { trace.mark("S") }.signal()
      loop.after(.zero) { _ in trace.mark("T") }
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(trace.text == "E BT BS S T X")
    }
  }

  @Test func case05OneSourcePerReturningRun() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.source(order: 5) { trace.mark("S5") }.signal()
      loop.source(order: 1) { trace.mark("S1") }.signal()
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(trace.text == "S1")
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(trace.text == "S1 S5")
    }
  }

  @Test func case07NothingToRun() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.add(trace.observer(), to: .x)
      for mode in [Loop.Mode.default, .x, "never used", .common, Loop.Mode(rawValue: "com" + "mon")] {
        #expect(loop.run(in: mode, for: .seconds(60)) == .finished)
      }
      #expect(trace.text == "")
      #expect(Set(loop.modes) == [.default, .x])
    }
  }

  @Test func case09Precedence() throws {
    try onLoopThread { loop in
      let keep = loop.keep()
      loop.after(.zero) { _ in
        dawdle(.milliseconds(12))
        loop.stop()
      }
      #expect(loop.run(for: .milliseconds(10)) == .timedOut)

      let slow = loop.source { dawdle(.milliseconds(12)) }
      slow.signal()
      #expect(loop.run(for: .milliseconds(10), returnAfterSourceHandled: true) == .handledSource)
      slow.invalidate()
      keep.invalidate()

      loop.after(.zero) { _ in loop.stop() }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      loop.after(.zero) { _ in dawdle(.milliseconds(12)) }
      #expect(loop.run(for: .milliseconds(10)) == .timedOut)

      let trace = LoopTrace()
      loop.add(trace.observer())
      loop.after(.milliseconds(5)) { _ in trace.mark("T") }
      #expect(loop.run(for: .seconds(60)) == .finished)
      #expect(trace.text == "E BT BS BW AW T X")
    }
  }

  @Test func case10SourceThatInvalidatesItself() throws {
    try onLoopThread { loop in
      for (returns, expected) in [(false, Loop.RunResult.finished), (true, .handledSource)] {
        var this: Loop.Source0?
        let source = loop.source { this?.invalidate() }
        this = source
        source.signal()
        #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: returns) == expected)
        #expect(!source.isValid)
      }
    }
  }

  @Test func case12TimersDoNotEndAReturningRun() throws {
    try onLoopThread { loop in
      loop.keep()
      var dates: [Int64] = []
      loop.every(.milliseconds(5), after: .milliseconds(5)) { dates.append($0.due.nanoseconds) }
      #expect(loop.run(for: .milliseconds(22), returnAfterSourceHandled: true) == .timedOut)
      // Four on an idle machine; a busy one may miss dates or be late at the end, none may come twice.
      #expect(dates.count >= 1)
      for (date, next) in zip(dates, dates.dropFirst()) {
        #expect(next > date && (next - date) % 5_000_000 == 0)
      }
    }
  }

  @Test func handledIsSaidOfAnySourceOfThePass() throws {
    // CFRunLoop keeps the answer of the last one only, and then sleeps with a block pending.
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      let second = Loop.Source0(order: 2) { trace.mark("S2") }
      let first = loop.source(order: 1) {
        trace.mark("S1")
        second.invalidate()
        loop.perform { trace.mark("b") }
      }
      loop.add(second)
      first.signal()
      second.signal()
      #expect(loop.run(for: .zero) == .timedOut)
      #expect(trace.text == "E BT BS S1 b X")
    }
  }
}
