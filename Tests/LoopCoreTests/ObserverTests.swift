import TestSupport
import Testing

@testable import LoopCore

/// Cases 41 to 48.
@Suite struct ObserverTests {
  @Test func case41Order() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      for (name, order) in [("5", 5), ("-1", -1), ("0", 0), ("0'", 0), ("5'", 5), ("0''", 0)] {
        loop.observe(.entry, order: order) { _ in trace.mark(name) }
      }
      loop.keep()
      loop.run(for: .zero)
      #expect(trace.text == "-1 0 0' 0'' 5 5'")
    }
  }

  @Test func case42AnAddedObserverJoinsAtTheNextActivity() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.keep()
      loop.observe(.beforeTimers) { _ in
        loop.observe([.beforeTimers, .beforeSources]) { trace.mark(LoopTrace.letter($0)) }
      }
      loop.run(for: .zero)
      #expect(trace.text == "BS")
    }
  }

  @Test func invalidatedObserversAreSkippedRemovedOnesAreNot() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.keep()
      let invalidated = Loop.Observer(.beforeTimers, order: 1) { _ in trace.mark("invalidated") }
      let removed = Loop.Observer(.beforeTimers, order: 1) { _ in trace.mark("removed") }
      loop.observe(.beforeTimers) { _ in
        invalidated.invalidate()
        loop.remove(removed)
      }
      loop.add(invalidated)
      loop.add(removed)
      loop.run(for: .zero)
      loop.run(for: .zero)
      #expect(trace.text == "removed")
    }
  }

  @Test func case44AnObserverThatDoesNotRepeat() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.keep()
      var this: Loop.Observer?
      let observer = Loop.Observer(.all, repeats: false) { activity in
        trace.mark(LoopTrace.letter(activity))
        #expect(this!.isValid && loop.contains(this!))
        loop.run(for: .zero)
      }
      this = observer
      loop.add(observer)
      loop.run(for: .zero)
      #expect(trace.text == "E")
      #expect(!observer.isValid && !loop.contains(observer))
      loop.add(observer)
      #expect(!loop.contains(observer))
      loop.run(for: .zero)
      #expect(trace.text == "E")
    }
  }

  @Test func case45AnObserverIsNotReentered() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.keep()
      var hasNested = false
      loop.observe(.beforeTimers) { _ in
        trace.mark("A(")
        if !hasNested {
          hasNested = true
          loop.run(for: .zero)
        }
        trace.mark(")")
      }
      loop.observe(.beforeTimers) { _ in trace.mark("B") }
      loop.run(for: .zero)
      #expect(trace.text == "A( B ) B")
    }
  }

  @Test func case46WhatABeforeWaitingObserverDoes() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.keep()
      loop.add(trace.observer())
      let source = loop.source { trace.mark("S") }

      loop.add(
        Loop.Observer(.beforeWaiting, repeats: false) { _ in
          loop.after(.zero) { _ in
            trace.mark("T")
            loop.stop()
          }
        })
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "E BT BS BW AW T X")
      trace.clear()

      loop.add(Loop.Observer(.beforeWaiting, repeats: false) { _ in source.signal() })
      #expect(loop.run(for: .milliseconds(30)) == .timedOut)
      #expect(trace.text == "E BT BS BW AW X")
      #expect(source.isSignalled)
      loop.run(for: .zero)
      trace.clear()

      loop.add(Loop.Observer(.beforeWaiting, repeats: false) { _ in source.signaller.signalAndWakeUp() })
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(trace.text == "E BT BS BW AW BT BS S X")
    }
  }

  @Test func anAfterWaitingObserverIsServedBeforeTheNextSleep() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      let source = loop.source { trace.mark("S") }
      loop.add(
        Loop.Observer(.afterWaiting, repeats: false) { _ in
          source.signal()
          loop.perform { trace.mark("b") }
          loop.after(.zero) { _ in trace.mark("N") }
        })
      loop.after(.milliseconds(5)) { _ in trace.mark("T") }
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      // A timer that is added before the pass begins belongs to it.
      #expect(trace.text == "E BT BS BW AW T N b BT BS S X")
    }
  }

  @Test func case48TheArticlesSet() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let first = -2_147_483_647
      let last = 2_147_483_647
      loop.observe([.beforeWaiting, .exit], order: last) { _ in trace.mark("pop") }
      loop.observe([.beforeWaiting, .exit], order: 2_000_000) { _ in trace.mark("CA") }
      loop.observe(.beforeWaiting) { _ in trace.mark("gest") }
      loop.observe(.entry, order: first) { _ in trace.mark("push") }
      loop.keep()
      loop.run(for: .milliseconds(10))
      #expect(trace.text == "push gest CA pop CA pop")
    }
  }

  @Test func case48ItemsOfAnotherLoopAreIgnored() throws {
    try onLoopThread { loop in
      let second = Loop()
      let observer = loop.observe(.entry) { _ in }
      let timer = loop.keep()
      let source = loop.source {}
      second.add(observer)
      second.add(timer, to: .common)
      second.add(source)
      #expect(!second.contains(observer) && !second.contains(timer, in: .common) && !second.contains(source))
      second.remove(timer)
      #expect(loop.contains(timer))
      // Free again once they left.
      loop.remove(timer)
      second.add(timer)
      #expect(second.contains(timer) && !loop.contains(timer))
    }
  }

  @Test func anObserverOfNothingAndAddingTwice() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.keep()
      let nothing = loop.observe([]) { _ in trace.mark("?") }
      let twice = loop.observe(.entry) { _ in trace.mark("E") }
      loop.add(twice)
      loop.run(for: .zero)
      #expect(trace.text == "E")
      #expect(loop.contains(nothing))
      loop.remove(twice)
      loop.run(for: .zero)
      #expect(trace.text == "E")
    }
  }
}
