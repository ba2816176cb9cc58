import TestSupport
import Testing

@testable import LoopCore

/// Cases 68 and 69.
@Suite struct ModeTests {
  @Test func case68ModesAndTheCurrentOne() throws {
    try onLoopThread { loop in
      #expect(loop.modes == [.default])
      #expect(loop.commonModes.modes == [.default])
      #expect(loop.currentMode == nil)
      var seen: [Loop.Mode?] = []
      let timer = loop.after(.zero, in: .x) { _ in seen.append(loop.currentMode) }
      loop.after(.zero) { _ in
        seen.append(loop.currentMode)
        loop.run(in: .x, for: .seconds(60))
        seen.append(loop.currentMode)
      }
      loop.observe(.exit, in: .x) { _ in seen.append(loop.currentMode) }
      loop.run(for: .seconds(60))
      #expect(seen == [.default, .x, .x, .default])
      #expect(loop.currentMode == nil)
      #expect(!timer.isValid)
      #expect(Set(loop.modes) == [.default, .x], "an emptied mode stays listed")
    }
  }

  @Test func case69MarkingAModeCreatesNothing() throws {
    try onLoopThread { loop in
      loop.addCommonMode("Z")
      #expect(loop.modes == [.default])
      let timer = loop.after(.seconds(100)) { _ in }
      loop.add(timer, to: .common)
      #expect(loop.contains(timer) && loop.contains(timer, in: "Z") && loop.contains(timer, in: .common))
      #expect(Set(loop.modes) == [.default, "Z"])
      loop.addCommonMode(.tracking)
      #expect(loop.contains(timer, in: .tracking))
    }
  }

  @Test func commonIsANameNotAMode() throws {
    try onLoopThread { loop in
      loop.keep()
      let made = Loop.Mode(["com", "mon"].joined())
      #expect(made == .common)
      loop.addCommonMode(made)
      let source = Loop.Source0 {}
      loop.add(source, to: made)
      #expect(loop.contains(source, in: .common) && loop.contains(source))
      #expect(loop.run(in: made, for: .seconds(60)) == .finished)
      #expect(loop.modes == [.default])
      loop.remove(source, from: made)
      #expect(!loop.contains(source))
    }
  }

  @Test func blocksCreateTheirModes() throws {
    try onLoopThread { loop in
      loop.perform(in: [.x, .common]) {}
      #expect(Set(loop.modes) == [.default, .x])
    }
  }

  @Test func anUntouchedItemCanComeBack() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let source = loop.source { trace.mark("S") }
      source.signal()
      loop.remove(source)
      #expect(loop.run(for: .seconds(60)) == .finished)
      loop.add(source)
      loop.run(for: .zero)
      #expect(trace.text == "S", "the signal is the source's own")
    }
  }
}
