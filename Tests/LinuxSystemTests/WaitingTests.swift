import LinuxSystem
import Synchronization
import Testing

@Suite struct WaitingTests {
  @Test func aPollerTellsWhatIsReadyUnderTheKeyOfItsMaker() throws {
    let poller = try Poller()
    let first = try EventCounter()
    let second = try EventCounter()
    try poller.add(first.descriptor.number, .readable, key: 1)
    try poller.add(second.descriptor.number, .readable, key: .max)
    var events = ReadyEvents()
    try poller.wait(into: &events, until: Deadline(after: .zero))
    check(events.count == 0)
    second.ring()
    try poller.wait(into: &events, until: Deadline(after: .seconds(5)))
    check(events.count == 1)
    check(events.key(0) == .max && events.readiness(0).contains(.readable))
    // Level-triggered: it stays ready until it is cleared.
    try poller.wait(into: &events, until: Deadline(after: .zero))
    check(events.count == 1)
    second.clear()
    first.ring()
    poller.remove(first.descriptor.number)
    poller.remove(first.descriptor.number)
    try poller.wait(into: &events, until: Deadline(after: .zero))
    check(events.count == 0)
    #expect(throws: Errno.fileExists) { try poller.add(second.descriptor.number, .readable, key: 3) }
  }

  @Test func edgesAndSingleShots() throws {
    let poller = try Poller()
    let edge = try EventCounter()
    let once = try EventCounter()
    try poller.add(edge.descriptor.number, [.readable, .edgeTriggered], key: 1)
    try poller.add(once.descriptor.number, [.readable, .oneShot], key: 2)
    var events = ReadyEvents()
    edge.ring()
    once.ring()
    try poller.wait(into: &events, until: Deadline(after: .seconds(5)))
    check(events.count == 2)
    try poller.wait(into: &events, until: Deadline(after: .zero))
    check(events.count == 0)
    edge.ring()
    once.ring()
    try poller.wait(into: &events, until: Deadline(after: .seconds(5)))
    check(events.count == 1 && events.key(0) == 1)
    try poller.modify(once.descriptor.number, [.readable, .oneShot], key: 4)
    try poller.wait(into: &events, until: Deadline(after: .seconds(5)))
    check(events.count == 1 && events.key(0) == 4)
  }

  @Test func aBatchIsBoundedAndTheRestComesNext() throws {
    let poller = try Poller()
    let counter = try EventCounter()
    counter.ring()
    var copies: [Int: Holder] = [:]
    for key in 0..<(Poller.batch + 10) {
      let holder = Holder(try counter.descriptor.duplicate())
      try poller.add(holder.descriptor.number, .readable, key: UInt64(key))
      copies[key] = holder
    }
    var events = ReadyEvents()
    var seen: Set<UInt64> = []
    for _ in 0..<2 {
      try poller.wait(into: &events, until: Deadline(after: .zero))
      for index in 0..<events.count { seen.insert(events.key(index)) }
    }
    check(seen.count == copies.count)
  }

  private final class Holder {
    let descriptor: Descriptor
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
  }

  @Test func aPollerInAPollerIsReadableWithIt() throws {
    let inner = try Poller()
    let counter = try EventCounter()
    try inner.add(counter.descriptor.number, .readable, key: 1)
    let number = inner.descriptor.number
    check(try !waitForReadiness(of: number, .readable, until: Deadline(after: .zero)))
    counter.ring()
    check(try waitForReadiness(of: number, .readable, until: Deadline(after: .zero)))
  }

  @Test func aCounterIsClearedOnce() throws {
    let counter = try EventCounter()
    check(!counter.clear())
    counter.ring()
    counter.ring()
    check(counter.clear())
    check(!counter.clear())
  }

  @Test func aMonitorWaitsForAChangeOrForItsDeadline() {
    let monitor = Monitor(0)
    let start = Instant.now
    check(!monitor.wait(until: Deadline(after: .milliseconds(5)), while: { $0 == 0 }))
    check(start.duration(to: .now) >= .milliseconds(5))
    check(!monitor.wait(until: Deadline(after: .zero), while: { $0 == 0 }))
    check(monitor.wait(until: Deadline(after: .zero), while: { $0 != 0 }))
    let thread = WorkerThread {
      monitor.withLock { $0 = 1 }
      monitor.notifyAll()
    }
    check(monitor.wait(until: Deadline(after: .seconds(5)), while: { $0 == 0 }))
    thread.join()
    check(monitor.withLock { $0 } == 1)
  }

  @Test(.timeLimit(.minutes(1))) func aDeadlineBeforeTheClocksBeginningHasPassed() {
    let monitor = Monitor(0)
    check(!monitor.wait(until: Deadline(Instant(nanoseconds: -5)), while: { $0 == 0 }))
    check(!monitor.wait(until: Deadline(Instant(nanoseconds: .min)), while: { $0 == 0 }))
  }
}
