import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// Waiting: deadlines, and threads that share a port.
@Suite struct ReceiveTests {
  private func duration(_ body: () throws -> Void) rethrows -> Duration {
    let start = Instant.now
    try body()
    return start.duration(to: .now)
  }

  @Test func anEmptyPortTimesOut() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let copy = try right.copy()
    _ = port.waiting()
    for timeout in [Duration.zero, .seconds(-1)] {
      #expect(throws: PortError.timedOut) { _ = try port.receive(timeout: timeout) }
    }
    let waited = duration {
      #expect(throws: PortError.timedOut) { _ = try port.receive(timeout: .milliseconds(10)) }
    }
    check(waited >= .milliseconds(10))
    check(copy.post(1) == nil && right.post(2) == nil)
    check(port.waiting() == Received(id: 1) && port.waiting() == Received(id: 2))
  }

  @Test func aFullWireTimesOutAndGoesOnWhenThereIsRoom() throws {
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    let other = try port.makeSendRight()
    let count = right.right.fill()
    check(count == port.queueLimit)
    check(right.right.post(1, timeout: .zero) == .timedOut)
    let waited = duration { check(right.right.post(1, timeout: .milliseconds(10)) == .timedOut) }
    check(waited >= .milliseconds(10))
    check(ending(right.right.call(Message(id: 1), timeout: .milliseconds(10))) == .timedOut)
    check(other.post(8, timeout: .zero) == nil, "a full wire is full for its holder only")
    let sender = WorkerThread { check(right.right.post(2) == nil) }
    var seen: [Int32] = []
    while seen.last != 2, let next = port.next() { seen.append(next.id) }
    sender.join()
    check(seen == [Int32](repeating: 7, count: count) + [8, 2])
  }

  @Test func aWaitingSenderLearnsOfDeath() throws {
    let holder = PortHolder(try ReceiveRight())
    let port = holder.take()!
    let right = RightBox(try port.makeSendRight())
    _ = right.right.fill()
    let sender = WorkerThread { check(right.right.post(1, timeout: nil) == .deadName) }
    port.destroyed()
    sender.join()
  }

  @Test func aCallersDeadlineIsForRequestAndReply() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let waited = duration { check(ending(right.call(Message(id: 1), timeout: .milliseconds(10))) == .timedOut) }
    check(waited >= .milliseconds(10))
    check(port.next() == Received(id: 1))
  }

  @Test func threadsShareAPortAndEachMessageComesOnce() throws {
    let port = try ReceiveRight()
    let rights = RightsBox(try (0..<3).map { _ in RightBox(try port.makeSendRight()) })
    let box = PortBox(consume port)
    let total = 9_000
    let seen = Monitor<[Int32: Int]>([:])
    let receivers = (0..<4).map { number in
      WorkerThread {
        while let next = box.port.next(timeout: number == 3 ? .zero : .seconds(5))
          ?? (number == 3 ? Received(id: -2) : nil)
        {
          if next.id == -1 { return }
          if next.id == -2 {
            if seen.withLock({ $0.count }) >= total { return }
          } else {
            seen.withLock { $0[next.id, default: 0] += 1 }
          }
        }
      }
    }
    let senders = (0..<3).map { number in
      WorkerThread {
        for index in 0..<(total / 3) { _ = rights.list[number].right.post(Int32(index * 3 + number)) }
      }
    }
    for sender in senders { sender.join() }
    for _ in 0..<3 { check(rights.list[0].right.post(-1) == nil) }
    for receiver in receivers { receiver.join() }
    let counts = seen.withLock { $0 }
    check(counts.count == total && counts.values.allSatisfy { $0 == 1 })
  }

  private final class RightsBox: Sendable {
    let list: [RightBox]
    init(_ list: [RightBox]) { self.list = list }
  }

  /// One thread sleeps in `receive`, another one looks without waiting and takes more in hand than it returns.
  @Test func mailInHandWakesASleeper() throws {
    let box = PortBox(try ReceiveRight())
    let first = try box.port.makeSendRight()
    let second = try box.port.makeSendRight()
    let count = Monitor(0)
    let sleeper = WorkerThread {
      while let next = box.port.next(timeout: .seconds(10)), next.id != 0 {
        count.withLock { $0 += 1 }
        count.notifyAll()
      }
    }
    for round in 1...1_000 {
      check(first.post(1) == nil && second.post(2) == nil)
      if box.port.waiting() != nil { count.withLock { $0 += 1 } }
      guard count.wait(until: Deadline(after: .seconds(5)), while: { $0 < 2 * round }) else {
        Issue.record("mail was in hand and nobody was told, in round \(round)")
        break
      }
    }
    check(first.post(0) == nil)
    sleeper.join()
  }
}
