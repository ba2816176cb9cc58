import LinuxSystem
import PortKit
import TestSupport
import Testing

@testable import LoopCore

/// A loop and its thread: one each, and nothing left of it afterwards.
@Suite struct ThreadTests {
  @Test func oneLoopPerThread() throws {
    let first = try onLoopThread { loop in
      #expect(Loop.current === loop)
      #expect(Loop.current === loop)
      return loop.remote
    }
    let second = try onLoopThread { $0.remote }
    #expect(first !== second)
  }

  @Test func aRemoteOutlivesItsThread() throws {
    weak var token: Token?
    let remote = try onLoopThread { $0.remote }
    do {
      let held = Holder(Token())
      token = held.token
      remote.perform { withExtendedLifetime(held) {} }
    }
    #expect(token == nil, "nothing is kept for a loop that is gone")
    remote.wakeUp()
    remote.stop()
    #expect(!remote.isWaiting)
  }

  @Test func theEndOfTheThreadReleasesWhatIsLeft() throws {
    let released = Counter()
    let remote = Monitor<Loop.Remote?>(nil)
    try onLoopThread { loop in
      remote.withLock { $0 = loop.remote }
      // Closures that hold the loop, in items that the loop holds.
      loop.addCommonMode(.x)
      let token = CountedToken(released)
      loop.add(Loop.Source0 { withExtendedLifetime((loop, token)) {} }, to: .common)
      loop.after(.seconds(100), in: .x) { _ in withExtendedLifetime((loop, token)) {} }
      loop.observe(.all) { _ in withExtendedLifetime((loop, token)) {} }
      loop.perform(in: [.y]) { withExtendedLifetime((loop, token)) {} }
      loop.add(
        Loop.Source1(try ReceiveRight()) { _ in
          withExtendedLifetime((loop, token)) {}
          return nil
        })
      loop.remote.perform(in: [.y]) { withExtendedLifetime(token) {} }
      #expect(released.value == 0)
    }
    #expect(released.value == 1)
    remote.withLock { $0?.stop() }
  }

  @Test func sourcesAreCancelledOnTheEndingThread() throws {
    let calls = Monitor<[String]>([])
    try onLoopThread { loop in
      loop.addCommonMode(.x)
      let thread = currentThreadNumber()
      let source = Loop.Source0(
        onCancel: { _, mode in
          #expect(currentThreadNumber() == thread)
          calls.withLock { $0.append("cancel(\(mode))") }
        }
      ) {}
      loop.add(source, to: .common)
    }
    #expect(Set(calls.withLock { $0 }) == ["cancel(default)", "cancel(X)"])
  }

  @Test func itemsOutliveTheirLoop() throws {
    try onLoopThread { loop in
      let timer = Loop.Timer(fireAfter: .zero) { _ in }
      do {
        let other = Loop()
        other.add(timer)
        other.add(timer, to: .x)
      }
      #expect(timer.isValid)
      loop.add(timer)
      #expect(loop.contains(timer))
    }
  }

  @Test func loopsLeaveNoDescriptor() async {
    await #expect(processExitsWith: .success) {
      // The kernel gives out the lowest free number, so a leak moves it. The runtime may open a few for itself.
      let before = try EventCounter().descriptor.number
      for _ in 0..<100 {
        try onLoopThread { loop in
          loop.keep()
          loop.run(for: .milliseconds(2))
          let source = Loop.Source1(try ReceiveRight()) { _ in nil }
          loop.add(source, to: .x)
          loop.run(in: .x, for: .milliseconds(2))
        }
      }
      let after = try EventCounter().descriptor.number
      #expect(after - before < 50)
    }
  }

  @Test func aModeCostsADescriptorOnlyWhenItSleeps() throws {
    try onLoopThread { loop in
      func hasPoller(_ mode: Loop.Mode) -> Bool { loop.state(of: mode)!.hasPoller }
      let source = loop.source {}
      source.signal()
      loop.run(for: .zero)
      loop.keep(.x)
      loop.run(in: .x, for: .zero)
      #expect(!hasPoller(.default) && !hasPoller(.x))
      loop.run(for: .milliseconds(20))
      #expect(hasPoller(.default) && !hasPoller(.x))
    }
  }

  @Test func anotherThreadsLoopIsRefused() async {
    await #expect(processExitsWith: .failure) {
      let box = LoopBox(Loop())
      WorkerThread { box.loop.wakeUp() }.join()
    }
  }
}

private final class CountedToken: Sendable {
  private let counter: Counter
  init(_ counter: Counter) { self.counter = counter }
  deinit { counter.bump() }
}

private final class Holder: @unchecked Sendable {
  let token: Token
  init(_ token: Token) { self.token = token }
}

/// Breaks the rule on purpose.
private final class LoopBox: @unchecked Sendable {
  let loop: Loop
  init(_ loop: Loop) { self.loop = loop }
}
