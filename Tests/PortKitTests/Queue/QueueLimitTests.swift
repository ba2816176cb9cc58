import Glibc
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// Queue limits count per right: rule Q1 and those that follow, with one holder for each right.
@Suite struct QueueLimitTests {
  private func drain(_ port: borrowing ReceiveRight) -> [Int32] {
    var ids: [Int32] = []
    while let message = port.waiting() { ids.append(message.id) }
    return ids
  }

  @Test("C26: five messages wait by default; one received makes room for one")
  func defaultLimit() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    check((1...6).map { right.post($0, timeout: .zero) } == [nil, nil, nil, nil, nil, .timedOut])
    check(port.waiting() == Received(id: 1))
    // The packet that is in hand does not count, and nothing else was taken.
    check(right.post(6, timeout: .zero) == nil)
    check(right.post(7, timeout: .zero) == .timedOut)
    check(drain(port) == [2, 3, 4, 5, 6])
  }

  @Test("C26: each right has its own five") func limitIsPerRight() throws {
    let port = try ReceiveRight()
    let first = try port.makeSendRight()
    let second = try first.copy()
    for _ in 0..<5 { check(first.post(1, timeout: .zero) == nil && second.post(2, timeout: .zero) == nil) }
    check(first.post(1, timeout: .zero) == .timedOut && second.post(2, timeout: .zero) == .timedOut)
  }

  @Test("C27: 0, 1 and 1024 are limits, 1025 is none", arguments: [0, 1, 2, 1024])
  func exactLimit(limit: Int) throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    do {
      try port.setQueueLimit(limit)
    } catch .queueTooLarge(let refused, let held) {
      // Stock kernels: the refusal names what they hold, and that much is possible.
      check(refused == limit && held < limit && held > 200)
      try port.setQueueLimit(held)
    }
    let effective = port.queueLimit
    for number in 0..<effective { check(right.post(Int32(number), timeout: .zero) == nil) }
    check(right.post(9, timeout: .zero) == .timedOut)
    check(drain(port) == (0..<effective).map(Int32.init))
  }

  @Test("C27: limits outside 0…1024 are refused and change nothing", arguments: [-1, 1025, .max])
  func badLimit(limit: Int) throws {
    let port = try ReceiveRight()
    #expect(throws: PortError.invalidQueueLimit(limit, highest: 1024)) { try port.setQueueLimit(limit) }
    check(port.queueLimit == 5)
  }

  @Test("C27: a system whose buffers are too small says so") func smallSystem() {
    let stock = QueueCapacity(sendBuffer: 425_984, smallestCharge: 768)
    check(stock.messages == 555)
    #expect(throws: PortError.queueTooLarge(1024, systemHolds: 555)) { try stock.check(1024) }
    #expect(throws: Never.self) { try stock.check(555) }
  }

  @Test("C27: the system holds what its capacity says") func capacityIsTrue() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let held = min(QueueCapacity.ofThisSystem.messages, 8000)
    try port.setLargeQueueLimit(held)
    for _ in 0..<held { check(right.post(1, timeout: .zero) == nil) }
    check(right.post(1, timeout: .zero) == .timedOut)
  }

  @Test("C29: a refused message comes back whole and can be sent again") func refusedMessageIsWhole() throws {
    let port = try ReceiveRight()
    let other = try ReceiveRight()
    let right = try port.makeSendRight()
    let copied = try other.makeSendRight()
    for _ in 0..<5 { check(right.post(1, timeout: .zero) == nil) }
    var message = Message(id: 8, body: [1, 2, 3])
    message.setReply(try other.makeSendOnceRight())
    try message.attach(copying: copied)
    let start = Instant.now
    guard case .returned(let back, .timedOut) = right.send(message, timeout: .milliseconds(200)) else {
      Issue.record("was sent")
      return
    }
    check(start.duration(to: .now) >= .milliseconds(200))
    let parts = (back.wantsReply, back.rightsCount, bytes(of: back))
    check(parts.0 && parts.1 == 1 && parts.2 == [1, 2, 3])
    check(other.waiting() == nil)
    _ = drain(port)
    let again = error(of: right.send(back))
    check(again == nil)
    var arrived = try port.receive(timeout: .seconds(5))
    try arrived.takeReply()!.send(Message(id: 9)).get()
    try arrived.takeSendRight(at: 0).send(Message(id: 10)).get()
    check(other.next() == Received(id: 9) && other.next() == Received(id: 10))
    check(copied.post(11) == nil && other.next() == Received(id: 11) && other.waiting() == nil)
  }

  @Test("C30: of four threads blocked on one right, raising the limit to seven lets exactly two go")
  func raisingLetsExactlyTwoGo() throws {
    let port = try ReceiveRight()
    let box = RightBox(try port.makeSendRight())
    for _ in 0..<5 { check(box.right.post(0, timeout: .zero) == nil) }
    let done = Monitor(0)
    let threads = (0..<4).map { _ in
      WorkerThread {
        if box.right.post(1, timeout: .seconds(20)) == nil { done.withLock { $0 += 1 } }
        done.notifyAll()
      }
    }
    check(eventually { box.right.end.queue.withLock { $0.waiterCount } == 4 })
    try port.setQueueLimit(7)
    check(eventually { box.right.end.queue.withLock { $0.waiterCount == 2 && $0.ledger.unread == 7 } })
    check(done.wait(until: Deadline(after: .seconds(5))) { $0 < 2 })
    // The kernel holds seven, however they share packets, and nobody else went.
    check(box.right.end.mayQueueOne == false)
    check(done.withLock { $0 } == 2 && box.right.end.queue.withLock { $0.ledger.unread } == 7)
    for _ in 0..<9 { check(port.next() != nil) }
    for thread in threads { thread.join() }
    check(done.withLock { $0 } == 4 && port.waiting() == nil)
  }

  @Test("C30: raising the limit by two lets two threads of each right go") func raisingLetsGo() throws {
    let port = try ReceiveRight()
    let rights = try (0..<4).map { _ in RightBox(try port.makeSendRight()) }
    for box in rights { for _ in 0..<5 { check(box.right.post(0, timeout: .zero) == nil) } }
    // Restated for limits per right: each right lets as many go as its limit grew by.
    let done = Monitor(0)
    let threads = rights.flatMap { box in
      (0..<3).map { _ in
        WorkerThread {
          if box.right.post(1, timeout: .seconds(20)) == nil { done.withLock { $0 += 1 } }
          done.notifyAll()
        }
      }
    }
    try port.setQueueLimit(7)
    check(done.wait(until: Deadline(after: .seconds(5))) { $0 < 8 })
    check(done.withLock { $0 } == 8)
    for box in rights { check(box.right.post(2, timeout: .zero) == .timedOut) }
    try port.setQueueLimit(8)
    check(done.wait(until: Deadline(after: .seconds(5))) { $0 < 12 })
    for thread in threads { thread.join() }
    check(drain(port).count == 32)
  }

  @Test("Q3: lowering below the fill drops nothing and counts at once") func lowering() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    for number in 1...5 { check(right.post(Int32(number), timeout: .zero) == nil) }
    try port.setQueueLimit(2)
    check(right.post(6, timeout: .zero) == .timedOut)
    check(drain(port) == [1, 2, 3, 4, 5])
    check((1...3).map { right.post($0, timeout: .zero) } == [nil, nil, .timedOut])
    try port.setQueueLimit(0)
    check(drain(port) == [1, 2])
    check(right.post(1, timeout: .zero) == .timedOut)
  }

  @Test("Q3: a call on an idle right sees that the limit was lowered to 0") func loweringToZero() throws {
    let box = PortBox(try ReceiveRight())
    let right = RightBox(try box.port.makeSendRight())
    let caller = ResultThread { ending(right.right.call(Message(id: 1), timeout: .seconds(20))) }
    try box.takeReply()!.take()!.send(Message(id: 2)).get()
    check(caller.value() == .some(nil))
    try box.port.setQueueLimit(0)
    // Calls in the same tick need not look.
    let tick = Instant.lastTick
    while Instant.lastTick == tick {}
    switch right.right.call(Message(id: 3, body: [7]), timeout: .zero) {
    case .returned(let message, let error): check(error == .timedOut && bytes(of: message) == [7])
    default: Issue.record("a call passed a limit of 0")
    }
    check(box.port.waiting() == nil)
  }

  @Test("Q3: only a call right after another one, with nothing unread, goes without a look")
  func whenACallLooks() {
    var queue = SendQueue(limit: 1)
    func tick(_ number: Int64) -> Instant { Instant(nanoseconds: number * 4_000_000) }
    check(queue.mustLook(before: .call, tick: tick(1)))
    check(!queue.mustLook(before: .call, tick: tick(1)))
    check(queue.mustLook(before: .message, tick: tick(1)))
    check(queue.mustLook(before: .call, tick: tick(2)))
    queue.ledger.append(QueueLedger.Packet(charge: 768, messages: 1))
    check(queue.mustLook(before: .call, tick: tick(2)))
    queue.ledger.settle(unreadBytes: 0)
    check(!queue.mustLook(before: .call, tick: tick(2)))
    queue.limit = 0
    check(queue.mustLook(before: .call, tick: tick(2)))
  }

  @Test("Q3: a call sees at once that the limit is no longer 0") func raisingFromZero() throws {
    let port = try ReceiveRight()
    try port.setQueueLimit(0)
    let right = try port.makeSendRight()
    check(right.post(1, timeout: .zero) == .timedOut)
    try port.setQueueLimit(1)
    _ = right.call(Message(id: 2), timeout: .zero)
    check(port.waiting() == Received(id: 2))
  }

  @Test("Q3: a right that was made or copied later knows the limit as well") func laterRights() throws {
    let port = try ReceiveRight()
    try port.setQueueLimit(2)
    let made = try port.makeSendRight()
    let copied = try made.copy()
    check((1...3).map { made.post($0, timeout: .zero) } == [nil, nil, .timedOut])
    check((1...3).map { copied.post($0, timeout: .zero) } == [nil, nil, .timedOut])
    try port.setQueueLimit(3)
    check(drain(port).count == 4)
    check((1...4).map { copied.post($0, timeout: .zero) } == [nil, nil, nil, .timedOut])
  }

  @Test("Q2: a send-once right ignores the limit") func sendOnceIsExempt() throws {
    let port = try ReceiveRight()
    try port.setQueueLimit(0)
    check(error(of: try port.makeSendOnceRight().send(Message(id: 3), timeout: .zero)) == nil)
    check(port.next() == Received(id: 3))
  }

  @Test("C36: two that fill each other's queue both get their message back, and go on after a drain")
  func mutualBlocking() throws {
    let ports = [PortBox(try ReceiveRight()), PortBox(try ReceiveRight())]
    let rights = try ports.map { RightBox(try $0.port.makeSendRight()) }
    for box in rights { for _ in 0..<5 { check(box.right.post(0, timeout: .zero) == nil) } }
    let gift = try ReceiveRight()
    let loaded = try rights.map { _ in
      var message = Message(id: 1, body: [4, 5])
      message.attach(try gift.makeSendOnceRight())
      return MessageBox(message)
    }
    let threads = rights.indices.map { index in
      ResultThread {
        let start = Instant.now
        switch rights[index].right.send(loaded[index].take()!, timeout: .milliseconds(300)) {
        case .sent: return false
        case .returned(let message, let error):
          let isWhole = bytes(of: message) == [4, 5] && (try? message.kind(ofRightAt: 0)) == .sendOnce
          loaded[index].put(message)
          return isWhole && error == .timedOut && start.duration(to: .now) >= .milliseconds(300)
        }
      }
    }
    for thread in threads { check(thread.value() == true) }
    check(gift.waiting() == nil)
    // One drains, and both go on.
    check(drain(ports[0].port) == [0, 0, 0, 0, 0])
    check(error(of: rights[0].right.send(loaded[0].take()!, timeout: .zero)) == nil)
    check(ports[0].port.next() == Received(id: 1) && gift.next()?.notification == .sendOnce)
    check(drain(ports[1].port) == [0, 0, 0, 0, 0])
    check(error(of: rights[1].right.send(loaded[1].take()!, timeout: .zero)) == nil)
    check(ports[1].port.next() == Received(id: 1) && gift.next()?.notification == .sendOnce)
  }

  @Test("S7: a sender that waits learns that the port died, and has its message back") func deathWhileWaiting() throws {
    let port = try ReceiveRight()
    let box = RightBox(try port.makeSendRight())
    for _ in 0..<5 { check(box.right.post(0, timeout: .zero) == nil) }
    let result = Mutex<PortError?>(nil)
    let thread = WorkerThread {
      let error = box.right.post(1, timeout: .seconds(20))
      result.withLock { $0 = error }
    }
    port.destroyed()
    thread.join()
    check(result.withLock { $0 } == .deadName)
  }

  @Test("Q4: a newcomer does not overtake a sender that waits") func noOvertaking() throws {
    let port = try ReceiveRight()
    let box = RightBox(try port.makeSendRight())
    for _ in 0..<5 { check(box.right.post(0, timeout: .zero) == nil) }
    let thread = WorkerThread { _ = box.right.post(1, timeout: .seconds(20)) }
    while !box.right.end.queue.withLock({ $0.isSomebodyWaiting }) { _ = sched_yield() }
    // Not refused by the limit, which has room now, but by the line.
    check(port.waiting() == Received(id: 0))
    _ = box.right.post(2, timeout: .zero)
    thread.join()
    let rest = drain(port)
    check(rest.firstIndex(of: 1)! < (rest.firstIndex(of: 2) ?? .max))
  }
}
