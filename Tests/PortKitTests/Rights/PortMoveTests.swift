import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// A receive right that travels in a message: the port itself moves.
@Suite struct PortMoveTests {
  @Test func aFreshPortMoves() throws {
    let port = try moved(try ReceiveRight(), times: 3)
    check(port.waiting() == nil && port.makeSendCount == 0)
    let right = try port.makeSendRight()
    check(right.post(1) == nil && port.next() == Received(id: 1) && port.makeSendCount == 1)
  }

  /// Q8, with mail in the wires, in hand, partly delivered, and sent while nobody has the port.
  @Test func mailBeforeDuringAndAfterComesInOneSequence() throws {
    let port = try ReceiveRight()
    let rights = try (0..<5).map { _ in RightBox(try port.makeSendRight()) }
    var id: Int32 = 0
    func post(_ count: Int) {
      for _ in 0..<count {
        check(rights[Int(id) % 5].right.post(id) == nil)
        id += 1
      }
    }
    post(20)
    for expected in 0..<7 as Range<Int32> { check(port.next() == Received(id: expected)) }
    check(port.hasStagedMail)
    let way = try ReceiveRight()
    let carrier = try way.makeSendRight()
    var message = Message(id: 1)
    message.attach(port)
    post(5)
    try carrier.send(message).get()
    post(5)
    var received = try way.receive(timeout: .seconds(5))
    let arrived = try received.takeReceiveRight(at: 0)
    post(5)
    for expected in 7..<id { check(arrived.next() == Received(id: expected)) }
    check(arrived.waiting() == nil && arrived.faults.isEmpty)
  }

  @Test func aPacketOfSeveralFramesMovesInTheMiddle() throws {
    let port = try ReceiveRight()
    let target = try ReceiveRight()
    let right = try port.makeSendRight()
    let other = try port.makeSendRight()
    let rights = try (0..<3).map { _ in RightBox(try target.makeSendRight()) }
    let frames = (0..<3).flatMap { index -> [UInt8] in
      var bytes = FrameHeader(kind: .message, id: Int32(index), rights: 1).encoded()
      RightEntry(kind: .send, index: index).append(to: &bytes)
      return bytes
    }
    check(right.inject(frames, descriptors: rights.map { $0.right.end.socket.descriptor.number }))
    check(other.post(3) == nil && right.post(4) == nil)
    check(port.next() == Received(id: 0))
    let arrived = try moved(port, times: 2)
    for id in 1...2 as ClosedRange<Int32> {
      var message = try arrived.receive(timeout: .seconds(5))
      check(message.id == id && message.sender?.processID == ProcessFacts.processID)
      check(try message.takeSendRight(at: 0).post(id + 10) == nil && target.next() == Received(id: id + 10))
    }
    check(arrived.next() == Received(id: 3) && arrived.next() == Received(id: 4) && arrived.faults.isEmpty)
  }

  @Test func sendOnceRightsAndTheirNoticesMove() throws {
    let port = try ReceiveRight()
    let used = try port.makeSendOnceRight()
    let dropped = OnceBox(try port.makeSendOnceRight())
    let early = OnceBox(try port.makeSendOnceRight())
    let late = OnceBox(try port.makeSendOnceRight())
    _ = early.take()
    check(try port.makeSendRight().post(1) == nil)
    try used.send(Message(id: 2)).get()
    _ = dropped.take()
    check(port.next()?.notification == .sendOnce)
    let arrived = try moved(port)
    _ = late.take()
    var seen: [Received] = []
    // A child of another test may hold what was open here until it is a program of its own: the notice takes its time.
    while seen.count < 4, let next = arrived.next() { seen.append(next) }
    check(arrived.waiting() == nil)
    check(seen.filter { $0.notification == .sendOnce }.count == 2, "\(seen)")
    check(seen.filter { $0.notification == nil } == [Received(id: 1), Received(id: 2)], "\(seen)")
  }

  @Test func noSendersMovesArmed() throws {
    // The last wire is just gone, and only the old owner saw it.
    let port = try ReceiveRight()
    try port.requestNoSendersNotification(sync: 1)
    check(try port.makeSendRight().post(1) == nil)
    check(port.next() == Received(id: 1))
    _ = port.hasStagedMail
    let arrived = try moved(port, times: 2)
    check(arrived.next()?.notification == .noSenders(makeSendCount: 0))
    check(arrived.waiting() == nil)
    // Never shared: it waits for the first share.
    let fresh = try ReceiveRight()
    try fresh.requestNoSendersNotification(sync: 1)
    let second = try moved(fresh)
    check(second.waiting() == nil)
    do { _ = try second.makeSendRight() }
    check(second.next()?.notification == .noSenders(makeSendCount: 1))
    // Not armed: silence.
    let silent = try ReceiveRight()
    do { _ = try silent.makeSendRight() }
    let third = try moved(silent)
    check(third.waiting() == nil)
  }

  @Test func repliesThatAreOwedCanStillBeGiven() throws {
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    let answers = Monitor<[Int32]>([])
    let callers = (0..<3 as Range<Int32>).map { number in
      WorkerThread {
        if let reply = try? right.right.call(Message(id: number), timeout: .seconds(10)).get() {
          answers.withLock { $0.append(reply.id) }
        }
      }
    }
    var owed: [Int32: OnceBox] = [:]
    for _ in 0..<3 {
      var request = try port.receive(timeout: .seconds(5))
      owed[request.id] = OnceBox(request.takeReply()!)
    }
    let arrived = try moved(port)
    // The old owner has nothing of the wire left: its end is the new owner's alone.
    for (id, reply) in owed { try reply.take()!.send(Message(id: id + 100)).get() }
    for caller in callers { caller.join() }
    check(answers.withLock { $0.sorted() } == [100, 101, 102])
    check(right.right.post(7) == nil && arrived.next() == Received(id: 7))
    let service = WorkerThread { [box = PortBox(arrived)] in
      guard var request = try? box.port.receive(timeout: .seconds(5)) else { return }
      _ = request.takeReply()?.send(Message(id: 300))
    }
    check(try right.right.call(Message(id: 8), timeout: .seconds(5)).get().id == 300)
    service.join()
    check(right.right.isDeadName)
  }

  /// A reply right that is still out must not hold the wire: the new owner's death would not be seen.
  @Test func theOldOwnersReplyRightKeepsNoWireOpen() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    check(ending(right.call(Message(id: 1), timeout: .zero)) == .timedOut)
    var request = try port.receive(timeout: .seconds(5))
    let owed = request.takeReply()!
    let arrived = try moved(port)
    check(!right.isDeadName)
    arrived.destroyed()
    check(right.isDeadName)
    try owed.send(Message(id: 2)).get()
    check(right.post(1) == .deadName)
  }

  @Test func aRefusedPortComesBackWhole() throws {
    let port = try ReceiveRight()
    let rights = try (0..<300).map { _ in RightBox(try port.makeSendRight()) }
    for (id, right) in rights.enumerated() { check(right.right.post(Int32(id)) == nil) }
    check(port.next() == Received(id: 0))
    try port.requestNoSendersNotification()
    let full = try ReceiveRight()
    let way = try full.makeSendRight()
    _ = way.fill()
    let dead = try deadRight()
    var message = Message(id: 5)
    message.attach(port)
    for round in 0..<2 {
      switch round == 0 ? way.send(message, timeout: .zero) : dead.send(message) {
      case .sent: preconditionFailure("not refused")
      case .returned(let back, let error):
        check(error == (round == 0 ? .timedOut : .deadName))
        message = back
      }
    }
    let back = try message.takeReceiveRight(at: 0)
    check(back.makeSendCount == 300)
    for id in 1..<300 as Range<Int32> { check(back.next() == Received(id: id)) }
    check(rights[0].right.post(7) == nil && back.next() == Received(id: 7) && back.faults.isEmpty)
  }

  /// T4: what was in a destroyed queue dies with it.
  @Test func aPortInADestroyedQueueDies() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let witness = try ReceiveRight()
    do {
      var inner = Message(id: 1)
      inner.attach(try witness.makeSendOnceRight())
      try right.send(inner).get()
      let way = try ReceiveRight()
      var message = Message(id: 2)
      message.attach(port)
      try way.makeSendRight().send(message).get()
      check(!right.isDeadName)
    }
    check(right.isDeadName && right.post(1) == .deadName)
    check(witness.next()?.notification == .sendOnce)
    // The same for a message that was never sent.
    let second = try ReceiveRight()
    let sender = try second.makeSendRight()
    do {
      var message = Message(id: 3)
      message.attach(second)
    }
    check(sender.isDeadName)
  }

  @Test func aPortOfAThousandWiresMoves() async {
    await #expect(processExitsWith: .success) {
      _ = try raiseDescriptorLimit()
      let before = openDescriptors()
      do {
        let port = try ReceiveRight()
        let rights = try (0..<1000).map { _ in RightBox(try port.makeSendRight()) }
        for id in 0..<3000 as Range<Int32> { check(rights[Int(id) % 1000].right.post(id) == nil) }
        for id in 0..<500 as Range<Int32> { check(port.next() == Received(id: id)) }
        let way = try ReceiveRight()
        var message = Message(id: 1)
        message.attach(port)
        var received = try pass(message, through: way)
        let arrived = try received.takeReceiveRight(at: 0)
        for id in 500..<3000 as Range<Int32> { check(arrived.next() == Received(id: id)) }
        for (id, right) in rights.enumerated() { check(right.right.post(Int32(id)) == nil) }
        for id in 0..<1000 as Range<Int32> { check(arrived.next() == Received(id: id)) }
        check(arrived.faults.isEmpty)
      }
      checkCensus(before)
    }
  }

  /// What one socket does not hold goes into several: 200 packets of 60 000 bytes are in hand.
  @Test func aPortWithMuchMailInHandMoves() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let port = try ReceiveRight()
        let rights = try (0..<200).map { _ in RightBox(try port.makeSendRight()) }
        for (id, right) in rights.enumerated() {
          let body = [UInt8](repeating: UInt8(id), count: 60_000)
          try right.right.send(Message(id: Int32(id), body: body)).get()
        }
        check(port.next() == Received(id: 0))
        let way = try ReceiveRight()
        var message = Message(id: 1)
        message.attach(port)
        var received = try pass(message, through: way)
        let arrived = try received.takeReceiveRight(at: 0)
        for id in 1..<200 {
          let next = try arrived.receive(timeout: .seconds(5))
          check(next.id == Int32(id) && bytes(of: next) == [UInt8](repeating: UInt8(id), count: 60_000))
        }
      }
      checkCensus(before)
    }
  }

  @Test func watchesOfAMovedPortEnd() throws {
    let watched = try ReceiveRight()
    let right = try watched.makeSendRight()
    let port = try ReceiveRight()
    _ = try right.requestDeadNameNotification(to: port)
    let arrived = try moved(port)
    watched.destroyed()
    check(arrived.waiting() == nil && right.isDeadName)
  }
}
