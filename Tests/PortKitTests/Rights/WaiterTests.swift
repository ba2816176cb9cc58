import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Threads that wait on one port: their order, and what becomes of them when the port goes.
@Suite struct WaiterTests {
  private func start(_ count: Int, on box: PortBox) -> [ResultThread<Received?>] {
    (0..<count).map { number in
      let thread = ResultThread { box.port.next(timeout: .seconds(20)) }
      check(eventually { box.port.mailbox.waiterCount == number + 1 })
      return thread
    }
  }

  @Test("C37: who waits first is served first, one message each")
  func firstComeFirstServed() throws {
    let box = PortBox(try ReceiveRight())
    let rights = [RightBox(try box.port.makeSendRight()), RightBox(try box.port.makeSendRight())]
    for _ in 0..<20 {
      let threads = start(5, on: box)
      for id in 1...6 { check(rights[id % 2].right.post(Int32(id)) == nil) }
      for (index, thread) in threads.enumerated() {
        let seen = thread.value() ?? nil
        check(seen == Received(id: Int32(index + 1)))
      }
      check(box.port.next() == Received(id: 6))
    }
  }

  @Test func whoLooksWithoutWaitingComesAfterThoseWhoWait() throws {
    let box = PortBox(try ReceiveRight())
    let rights = [RightBox(try box.port.makeSendRight()), RightBox(try box.port.makeSendRight())]
    for _ in 0..<200 {
      let threads = start(2, on: box)
      for id in 1...3 { check(rights[id % 2].right.post(Int32(id)) == nil) }
      check(box.port.waiting() == Received(id: 3))
      let seen = threads.map { $0.value() ?? nil }
      check(seen == [Received(id: 1), Received(id: 2)])
    }
  }

  @Test func whoGivesUpLeavesTheLine() throws {
    let box = PortBox(try ReceiveRight())
    let right = try box.port.makeSendRight()
    let leader = ResultThread { box.port.next(timeout: .milliseconds(20)) }
    let follower = ResultThread { box.port.next(timeout: .milliseconds(40)) }
    let third = ResultThread { box.port.next(timeout: .seconds(20)) }
    check(leader.value() == .some(nil) && follower.value() == .some(nil))
    check(eventually { box.port.mailbox.waiterCount == 1 })
    check(right.post(1) == nil)
    check(third.value() == Received(id: 1))
  }

  @Test("C37: a port that is destroyed turns its waiters away", arguments: [1, 3])
  func destroyedUnderWaiters(count: Int) throws {
    let box = PortBox(try ReceiveRight())
    let right = try box.port.makeSendRight()
    let threads = (0..<count).map { _ in
      ResultThread { refusal { () throws(PortError) in _ = try box.port.receive() } }
    }
    check(eventually { box.port.mailbox.waiterCount == count })
    try box.port.destroy()
    for thread in threads { check(thread.value() == .portChanged) }
    check(right.post(1) == .deadName && right.isDeadName)
    check(refusal { () throws(PortError) in try box.port.destroy() } == .portChanged)
    check(refusal { () throws(PortError) in _ = try box.port.receive() } == .portChanged)
    check(refusal { () throws(PortError) in _ = try box.port.makeSendRight() } == .portChanged)
    check(refusal { () throws(PortError) in _ = try box.port.status() } == .portChanged)
  }

  @Test("C37: a port that is moved turns its waiters away, and they swallow no later message")
  func movedUnderWaiters() throws {
    for _ in 0..<100 {
      let box = PortBox(try ReceiveRight())
      let right = try box.port.makeSendRight()
      let threads = (0..<2).map { _ in
        ResultThread { refusal { () throws(PortError) in _ = try box.port.receive() } }
      }
      check(eventually { box.port.mailbox.waiterCount == 2 && box.port.mailbox.isBeingPolled })
      let heir = try box.port.transfer()
      check(right.post(1) == nil)
      check(heir.next() == Received(id: 1))
      for thread in threads { check(thread.value() == .portChanged) }
      check(heir.id == box.port.id)
      check(refusal { () throws(PortError) in _ = try box.port.transfer() } == .portChanged)
    }
  }

  @Test func anEmptyShellDestroysNothing() throws {
    func moved(_ shell: consuming ReceiveRight) throws -> ReceiveRight {
      let heir = try shell.transfer()
      check(shell.waiting() == nil)
      return heir
    }
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    check(right.post(1) == nil)
    let heir = try moved(port)
    check(heir.next() == Received(id: 1) && right.post(2) == nil)
    let last = try moved(heir)
    check(last.next() == Received(id: 2) && !right.isDeadName)
  }

  @Test("C12: the receiver sees its port, the id and size as sent, and numbers from 0")
  func whatTheReceiverSees() throws {
    let port = try ReceiveRight()
    let other = try ReceiveRight()
    let right = try port.makeSendRight()
    let toOther = try other.makeSendRight()
    let answers = try ReceiveRight()
    for number in 0..<3 {
      var request = Message(id: 40 + Int32(number), body: [UInt8](repeating: 7, count: number))
      check(request.localPort == nil && request.sequenceNumber == nil)
      request.setReply(try answers.makeSendOnceRight())
      try right.send(request).get()
      var received = try port.receive(timeout: .seconds(5))
      check(received.id == 40 + Int32(number) && received.body.count == number)
      check(received.localPort == port.id && received.sequenceNumber == number)
      check(received.wantsReply)
      // A send-once right, by its type.
      guard let reply: SendOnceRight = received.takeReply() else { continue }
      try reply.send(Message(id: 9)).get()
      check(answers.next()?.id == 9)
    }
    check(toOther.post(1) == nil)
    check(try other.receive(timeout: .seconds(5)).sequenceNumber == 0)
    // A notification is a message like others; a transfer inside the process is no move.
    _ = try port.makeSendOnceRight()
    check(try port.receive(timeout: .seconds(5)).sequenceNumber == 3)
    let heir = try port.transfer()
    check(right.post(1) == nil)
    check(try heir.receive(timeout: .seconds(5)).sequenceNumber == 4)
  }
}
