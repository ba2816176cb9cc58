import TestSupport
import Testing

@testable import LoopCore

/// Cases 49 to 56.
@Suite struct Source0Tests {
  @Test func case49SignalsAreOneFlag() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      let source = loop.source { trace.mark("S") }
      for _ in 0..<5 { source.signal() }
      loop.run(for: .zero)
      #expect(trace.text == "E BT BS S X")
    }
  }

  @Test func case49ASourceThatSignalsItself() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      var this: Loop.Source0?
      let source = loop.source {
        trace.mark("S")
        this?.signal()
        this?.signal()
        if trace.count("S") == 3 { loop.stop() }
      }
      this = source
      source.signal()
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "E BT BS S BT BS S BT BS S X")
      trace.clear()
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(trace.text == "E BT BS S X")
      #expect(source.isSignalled, "kept for the next run")
      source.invalidate()
    }
  }

  @Test func case49SignalledBeforeBeingAddedAndWhileAnotherModeRuns() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let source = Loop.Source0 { trace.mark("S") }
      source.signal()
      loop.add(source)
      loop.run(for: .zero)
      #expect(trace.text == "S")
      loop.keep(.x)
      source.signal()
      loop.run(in: .x, for: .zero)
      #expect(trace.text == "S")
      loop.run(for: .zero)
      #expect(trace.text == "S S")
    }
  }

  @Test func case49ASelfFeedingSourceDoesNotStarveTimers() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.observe(.beforeWaiting) { _ in trace.mark("BW") }
      var this: Loop.Source0?
      let source = loop.source { this?.signal() }
      this = source
      source.signal()
      loop.every(.milliseconds(1), after: .milliseconds(1)) { _ in
        trace.mark("T")
        if trace.count("T") == 5 { loop.stop() }
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "T T T T T")
      source.invalidate()
    }
  }

  @Test func case51OrderThenFirstSignal() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      var sources: [String: Loop.Source0] = [:]
      for name in ["a", "b", "c", "d", "e"] { sources[name] = loop.source { trace.mark(name) } }
      sources["f"] = loop.source(order: -1) { trace.mark("f") }
      for name in ["d", "b", "e", "d", "a", "c", "f"] { sources[name]!.signal() }
      loop.run(for: .zero)
      #expect(trace.text == "f d b e a c")
    }
  }

  @Test func case53ScheduleAndCancel() throws {
    try onLoopThread { loop in
      var calls: Set<String> = []
      var count = 0
      func take() -> Set<String> {
        defer { calls = [] }
        return calls
      }
      func hook(_ name: String) -> Loop.Source0.Hook {
        { hooked, mode in
          #expect(hooked === loop)
          calls.insert("\(name)(\(mode))")
          count += 1
        }
      }
      loop.addCommonMode(.x)
      let source = Loop.Source0(onSchedule: hook("schedule"), onCancel: hook("cancel")) {}
      loop.add(source, to: .common)
      #expect(take() == ["schedule(default)", "schedule(X)"])
      loop.addCommonMode(.y)
      #expect(take() == ["schedule(Y)"])
      loop.addCommonMode(.y)
      loop.add(source, to: .common)
      #expect(take() == [])
      loop.remove(source)
      #expect(take() == ["cancel(default)"])
      #expect(loop.contains(source, in: .common))
      loop.remove(source, from: .common)
      #expect(take() == ["cancel(X)", "cancel(Y)"])
      #expect(!loop.contains(source, in: .common))
      #expect(count == 6)
      // Put into X by name as well as by being common: it leaves X with the common modes.
      loop.add(source, to: .x)
      loop.add(source, to: .common)
      loop.remove(source, from: .common)
      #expect(!loop.contains(source, in: .x))
    }
  }

  @Test func case55ARemovedSourceIsStillPerformedInThisPass() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let removed = Loop.Source0(order: 1, onCancel: { _, _ in trace.mark("cancel(B)") }) { trace.mark("B") }
      let invalidated = Loop.Source0(order: 2) { trace.mark("C") }
      let first = loop.source {
        trace.mark("A")
        loop.remove(removed)
        invalidated.invalidate()
      }
      loop.add(removed)
      loop.add(invalidated)
      for source in [first, removed, invalidated] { source.signal() }
      loop.run(for: .zero)
      loop.run(for: .zero)
      #expect(trace.text == "A cancel(B) B")
    }
  }

  @Test func case56NestedRunsShareThePass() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let second = Loop.Source0(order: 1) { trace.mark("B") }
      let first = loop.source {
        trace.mark("A(")
        loop.run(for: .zero)
        trace.mark(")")
      }
      loop.add(second)
      first.signal()
      second.signal()
      loop.run(for: .zero)
      #expect(trace.text == "A( B )")
    }
  }

  @Test func case56ASourceIsReentrant() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      var depth = 0
      var this: Loop.Source0?
      let source = loop.source {
        trace.mark("A(")
        depth += 1
        if depth == 1 {
          this?.signal()
          loop.run(for: .zero)
        }
        trace.mark(")")
      }
      this = source
      source.signal()
      loop.run(for: .zero)
      #expect(trace.text == "A( A( ) )")
    }
  }

  @Test func case56InvalidatedInItsOwnPerform() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      var this: Loop.Source0?
      let source = Loop.Source0(onCancel: { _, mode in trace.mark("cancel(\(mode))") }) {
        trace.mark("S")
        this?.invalidate()
      }
      this = source
      loop.add(source)
      loop.add(source, to: .x)
      source.signal()
      loop.run(for: .zero)
      #expect(trace.text == "S cancel(default) cancel(X)")
      source.signal()
      loop.add(source)
      #expect(!source.isSignalled && !loop.contains(source))
      source.invalidate()
      #expect(trace.text == "S cancel(default) cancel(X)")
    }
  }

  @Test func aHookMayChangeEverything() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.addCommonMode(.x)
      var this: Loop.Source0?
      let source = Loop.Source0(
        onSchedule: { _, mode in
          trace.mark("schedule(\(mode))")
          this?.invalidate()
        }, onCancel: { _, mode in trace.mark("cancel(\(mode))") }
      ) {}
      this = source
      loop.add(source, to: .common)
      #expect(trace.text == "schedule(default) cancel(default)")
      #expect(!loop.contains(source, in: .common))
    }
  }
}
