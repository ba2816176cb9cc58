import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// If the send of m1 returned before the send of m2 began, m1 is received first, whatever wires they took.
@Suite struct CausalOrderTests {
  private final class Senders: Sendable {
    let rights: [RightBox]
    init(_ rights: [RightBox]) { self.rights = rights }
  }

  /// The kernel shows 64 ready wires at a time. The oldest packet lies in one that it shows last.
  @Test func theOldestPacketMayBeBehindAFullBatch() throws {
    let port = try ReceiveRight()
    var wires: [RightBox] = []
    for _ in 0..<Poller.batch { wires.append(RightBox(try port.makeSendRight())) }
    let late = try port.makeSendRight()
    for wire in wires { check(wire.right.post(1) == nil) }
    for _ in wires { check(port.next() == Received(id: 1)) }
    check(late.post(2) == nil)
    for wire in wires { check(wire.right.post(3) == nil) }
    check(port.next() == Received(id: 2))
    for _ in wires { check(port.next() == Received(id: 3)) }
  }

  @Test func theOrderHoldsBesideNotices() throws {
    let port = try ReceiveRight()
    let dying = PortHolder(try ReceiveRight())
    let target = dying.take()!
    var watched: [RightBox] = []
    for _ in 0..<200 {
      let right = RightBox(try target.makeSendRight())
      _ = try right.right.requestDeadNameNotification(to: port)
      watched.append(right)
    }
    let first = try port.makeSendRight()
    let second = try port.makeSendRight()
    check(second.post(0) == nil && port.next() == Received(id: 0))
    target.destroyed()
    check(first.post(1) == nil && second.post(2) == nil)
    var seen: [Int32] = []
    while let next = port.waiting() { seen.append(next.id) }
    check(seen.filter { $0 != 72 } == [1, 2] && seen.count == 202)
  }

  /// Two threads take turns on wires of theirs, three others flood the port: 20 000 messages, each begun after the
  /// one before it had been sent.
  @Test("C31: messages that follow each other come in that order, whoever sent them and whatever floods in")
  func turnsOfThreadsAmongFlooders() throws {
    let holder = PortHolder(try ReceiveRight())
    let port = holder.take()!
    let senders = Senders(try (0..<7).map { _ in RightBox(try port.makeSendRight()) })
    let stop = Atomic(false)
    let total: Int32 = 20_000
    let turn = Monitor(Int32(1))
    let flooders = (4..<7).map { number in
      WorkerThread {
        while !stop.load(ordering: .relaxed), senders.rights[number].right.post(-1, timeout: .seconds(5)) == nil {}
      }
    }
    let pair = (0..<2 as Range<Int32>).map { number in
      WorkerThread {
        // Runs of ten messages on alternating wires, then the other thread's turn.
        var next = 1 + 10 * number
        while next <= total {
          turn.wait(until: Deadline(after: .seconds(30)), while: { $0 < next })
          for id in next..<(next + 10) {
            if senders.rights[Int(2 * number + id % 2)].right.post(id) != nil { return }
          }
          turn.withLock { $0 = next + 10 }
          turn.notifyAll()
          next += 20
        }
      }
    }
    var expected: Int32 = 1
    var violations = 0
    while expected <= total, let next = port.next(timeout: .seconds(10)) {
      if next.id < 0 { continue }
      if next.id != expected { violations += 1 }
      expected = next.id + 1
    }
    check(violations == 0 && expected == total + 1, "\(violations) violations, stopped at \(expected)")
    stop.store(true, ordering: .relaxed)
    port.destroyed()
    for thread in pair + flooders { thread.join() }
  }

  /// Three threads share one right and number their messages. Meanwhile a process sends m1 and tells another one, over
  /// a port of that one, which then sends m2.
  @Test("C31: each thread's 1000 numbers ascend; of two processes m1 comes before m2, 200 times")
  func threadsAndProcesses() throws {
    let port = try ReceiveRight()
    let shared = RightBox(try port.makeSendRight())
    let probes = try (0..<2).map { _ in try Probe("relay") }
    let doors = try probes.map { try Door($0) }
    var second = Message(id: 0)
    second.attach(try port.makeSendRight())
    second.attachNull()
    try doors[1].inbox.send(second).get()
    let threads = (1...3 as ClosedRange<Int32>).map { number in
      WorkerThread { for id in 0..<1000 as Range<Int32> { check(shared.right.post(10_000 * number + id) == nil) } }
    }
    var first = Message(id: 200)
    first.attach(try port.makeSendRight())
    first.attach(try doors[1].inbox.copy())
    try doors[0].inbox.send(first).get()
    var next: [Int32] = [0, 0, 0, 0]
    var violations = 0
    for _ in 0..<3400 {
      guard let message = port.next(timeout: .seconds(10)) else { break }
      let (sender, number) = (Int(message.id / 10_000), message.id % 10_000)
      // 0 is the pair: m1 of each round is even, and m2 of the round before may come after it.
      if sender == 0 {
        if number % 2 == 0 { next[0] = max(next[0], number + 1) } else if number > next[0] { violations += 1 }
      } else {
        if number != next[sender] { violations += 1 }
        next[sender] += 1
      }
    }
    for thread in threads { thread.join() }
    check(violations == 0 && next == [399, 1000, 1000, 1000] && port.waiting() == nil, "\(violations), \(next)")
    for probe in probes {
      probe.process.kill()
      _ = probe.process.wait(until: Deadline(after: .seconds(5)))
    }
  }
}
