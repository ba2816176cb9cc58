import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct PortSetTests {
  @Test("C51: mail that was queued, or in hand, before its port joined comes through the set")
  func mailFromBefore() throws {
    let set = try PortSet()
    let port = try ReceiveRight()
    let first = try port.makeSendRight()
    let second = try port.makeSendRight()
    check(first.post(1) == nil && second.post(2) == nil && first.post(3) == nil)
    // Now the second one's mail is in hand, where no descriptor shows it.
    check(port.next() == Received(id: 1) && port.hasStagedMail)
    check(try set.insert(port) == port.id)
    check(set.members == [port.id] && set.hasStagedMail)
    check([set.next(), set.next()] == [Arrival(id: 2, member: port.id), Arrival(id: 3, member: port.id)])
    check(set.waiting() == nil && !set.hasStagedMail)
    check(refusal { () throws(PortError) in _ = try set.receive(timeout: .milliseconds(5)) } == .timedOut)
  }

  @Test("C51: a thread that waits on the set gets the mail of a port that joins", arguments: [false, true])
  func aWaiterIsWoken(isInHand: Bool) throws {
    for _ in 0..<50 {
      let box = SetBox(try PortSet())
      let port = try ReceiveRight()
      let rights = [RightBox(try port.makeSendRight()), RightBox(try port.makeSendRight())]
      let waiter = ResultThread { box.set.next() }
      check(rights[0].right.post(1) == nil && rights[1].right.post(1) == nil)
      if isInHand { check(port.next() == Received(id: 1)) }
      check(eventually { box.set.core.isBeingPolled })
      try box.set.insert(port)
      check(waiter.value() == Arrival(id: 1, member: port.id))
    }
  }

  @Test("C52: a port in two sets gives each message to one waiter, also when one set is gone")
  func twoSets() throws {
    let boxes = [SetBox(try PortSet()), SetBox(try PortSet())]
    let port = try ReceiveRight()
    let rights = [RightBox(try port.makeSendRight()), RightBox(try port.makeSendRight())]
    for box in boxes { try box.set.insert(port) }
    let seen = Monitor<[Int32]>([])
    let waiters = boxes.map { box in
      WorkerThread {
        while let next = box.set.next(timeout: .seconds(20)) {
          seen.withLock { $0.append(next.id) }
          seen.notifyAll()
        }
      }
    }
    for id in 1...10 { check(rights[id % 2].right.post(Int32(id)) == nil) }
    check(seen.wait(until: Deadline(after: .seconds(5)), while: { $0.count < 10 }))
    boxes[0].set.destroy()
    for id in 11...20 { check(rights[id % 2].right.post(Int32(id)) == nil) }
    check(seen.wait(until: Deadline(after: .seconds(5)), while: { $0.count < 20 }))
    boxes[1].set.destroy()
    for waiter in waiters { waiter.join() }
    check(seen.withLock { $0.sorted() } == (1...20).map { Int32($0) })
    check(try port.status().setCount == 0)
  }

  @Test("C53: twice in, out of where it is not, and moves from nowhere are refused")
  func membershipErrors() throws {
    let set = try PortSet()
    let other = try PortSet()
    let port = try ReceiveRight()
    check(refusal { () throws(PortError) in try set.extract(port) } == .notInSet)
    check(refusal { () throws(PortError) in try set.move(port, to: other) } == .notInSet)
    check(refusal { () throws(PortError) in try port.leaveAllSets() } == .notInSet)
    try set.insert(port)
    check(refusal { () throws(PortError) in try set.insert(port) } == .alreadyInSet)
    check(try port.status().setCount == 1)
    try other.insert(port)
    check(refusal { () throws(PortError) in try set.move(port, to: other) } == .alreadyInSet)
    check(set.members == [port.id] && other.members == [port.id])
    try set.extract(port)
    check(refusal { () throws(PortError) in try set.extract(port) } == .notInSet)
    try set.insert(port)
    try port.leaveAllSets()
    check(set.members.isEmpty && other.members.isEmpty)
    set.destroy()
    check(refusal { () throws(PortError) in try set.insert(port) } == .portChanged)
    check(refusal { () throws(PortError) in _ = try set.receive() } == .portChanged)
    check(try port.status().setCount == 0)
    // The place in the destroyed set is no obstacle elsewhere.
    try other.insert(port)
    check(other.members == [port.id])
  }

  @Test func aMemberMovesInOneStep() throws {
    let old = try PortSet()
    let older = try PortSet()
    let new = try PortSet()
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    try old.insert(port)
    try older.insert(port)
    check(right.post(1) == nil)
    try old.move(port, to: new)
    check(old.waiting() == nil && new.next()?.id == 1)
    check(right.post(2) == nil && older.next()?.id == 2)
    // Into where it is already, from all others.
    try port.move(into: older)
    check(right.post(3) == nil && new.waiting() == nil && older.next()?.id == 3)
    check(try old.members.isEmpty && new.members.isEmpty && port.status().setCount == 1)
  }

  @Test func aMovedMemberIsNotReceivedWhereItWas() throws {
    let boxes = [SetBox(try PortSet()), SetBox(try PortSet())]
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let place = Monitor(0)
    try boxes[0].set.insert(port)
    let receivers = boxes.indices.map { number in
      WorkerThread {
        while let next = boxes[number].set.next(timeout: .seconds(20)) {
          if next.id < 0 { return }
        }
      }
    }
    for round in 0..<500 {
      let (from, to) = (round % 2, (round + 1) % 2)
      check(right.post(1) == nil)
      try boxes[from].set.move(port, to: boxes[to].set)
      place.withLock { $0 = to }
      check(boxes[from].set.waiting() == nil || place.withLock { $0 } == from)
    }
    for box in boxes { box.set.destroy() }
    for receiver in receivers { receiver.join() }
  }

  @Test("C55: members leave silently while a thread waits; the set's end is an error, and its mail stays")
  func membersLeave() throws {
    let box = SetBox(try PortSet())
    let holder = PortHolder(try ReceiveRight())
    let moved = try ReceiveRight()
    let staying = try ReceiveRight()
    let destroyed = holder.take()!
    let toMoved = try moved.makeSendRight()
    let toStaying = try staying.makeSendRight()
    do {
      let gone = try ReceiveRight()
      try box.set.insert(gone)
    }
    check(box.set.members.isEmpty, "a member that is gone is no member")
    try box.set.insert(destroyed)
    try box.set.insert(moved)
    try box.set.insert(staying)
    let waiter = ResultThread { box.set.next() }
    check(eventually { box.set.core.isBeingPolled })
    destroyed.destroyed()
    let elsewhere = try moved.transfer()
    check(toMoved.post(1) == nil)
    check(box.set.members == [staying.id] && !waiter.isFinished)
    check(toStaying.post(2) == nil)
    check(waiter.value() == Arrival(id: 2, member: staying.id))
    check(elsewhere.next() == Received(id: 1))
    let last = ResultThread { refusal { () throws(PortError) in _ = try box.set.receive() } }
    check(eventually { box.set.core.isBeingPolled })
    try box.set.extract(staying)
    check(toStaying.post(3) == nil && !last.isFinished)
    try box.set.insert(elsewhere)
    box.set.destroy()
    check(last.value() == .portChanged)
    check(toMoved.post(4) == nil)
    check(elsewhere.next() == Received(id: 4) && staying.next() == Received(id: 3))
  }

  @Test("C55: a member that moves in a message leaves its sets, and the target of its request is told")
  func aMemberThatTravels() throws {
    let set = try PortSet()
    let target = try ReceiveRight()
    let way = try ReceiveRight()
    let toWay = try way.makeSendRight()
    func send(_ port: consuming ReceiveRight) throws {
      var message = Message(id: 1)
      message.attach(port)
      check(set.members.isEmpty)
      try toWay.send(message).get()
    }
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    try set.insert(port)
    try port.requestNoSendersNotification(sync: 1, to: target)
    check(right.post(2) == nil)
    try send(port)
    check(set.waiting() == nil)
    check(target.next() == Received(id: 71, notification: .sendOnce) && target.waiting() == nil)
    var message = try way.receive(timeout: .seconds(5))
    let moved = try message.takeReceiveRight(at: 0)
    check(right.post(3) == nil)
    try set.insert(moved)
    check(set.next() == Arrival(id: 2, member: moved.id) && set.next() == Arrival(id: 3, member: moved.id))
  }

  /// Round robin: one flooded member, several wires each, and a member with a single message.
  @Test func membersTakeTurns() throws {
    let set = try PortSet()
    let flooded = try ReceiveRight()
    try flooded.setQueueLimit(100)
    let others = PortList(try (0..<3).map { _ in PortBox(try ReceiveRight()) })
    let floods = [RightBox(try flooded.makeSendRight()), RightBox(try flooded.makeSendRight())]
    try set.insert(flooded)
    for box in others.list { try set.insert(box.port) }
    for _ in 0..<30 { for flood in floods { check(flood.right.post(1) == nil) } }
    check(set.next()?.id == 1 && set.next()?.id == 1)
    let rights = try others.list.map { RightBox(try $0.port.makeSendRight()) }
    for _ in 0..<5 { for right in rights { check(right.right.post(2) == nil) } }
    var members: [PortID?] = []
    for _ in 0..<20 { members.append(set.next()?.member) }
    for start in 0...(members.count - 4) {
      check(Set(members[start..<(start + 4)]).count == 4, "each member once in four messages: \(members)")
    }
    for _ in 0..<53 { check(set.next()?.member == flooded.id) }
    check(set.waiting() == nil)
  }

  @Test func theDescriptorShowsWhatIsThere() throws {
    let set = try PortSet()
    let port = try ReceiveRight()
    let rights = [RightBox(try port.makeSendRight()), RightBox(try port.makeSendRight())]
    try set.insert(port)
    let number = set.pollDescriptor
    func isReadable() throws -> Bool { try waitForReadiness(of: number, .readable, until: Deadline(after: .zero)) }
    check(try !isReadable())
    for right in rights { check(right.right.post(1) == nil) }
    check(try isReadable())
    // A direct receiver takes both in hand and leaves one.
    check(port.next() == Received(id: 1))
    check(try isReadable())
    check(try set.receiveIfReady()?.id == 1)
    check(set.waiting() == nil)
    check(try !isReadable() && !set.hasStagedMail)
    // Notices show as well.
    try port.requestNoSendersNotification(sync: 3)
    _ = try port.makeSendOnceRight()
    check(try isReadable())
    check(set.next() == Arrival(id: 71, member: port.id))
    set.destroy()
    check(try isReadable(), "whoever watches the set must see its end")
  }

  /// The member is received from directly and through the set, each of which leaves mail in hand to the other.
  @Test func aDirectReceiverLeavesNothingUnseen() throws {
    let box = SetBox(try PortSet())
    let port = PortBox(try ReceiveRight())
    let rights = [RightBox(try port.port.makeSendRight()), RightBox(try port.port.makeSendRight())]
    try box.set.insert(port.port)
    let count = Monitor(0)
    let waiter = WorkerThread {
      while let next = box.set.next(timeout: .seconds(20)), next.id != 0 {
        count.withLock { $0 += 1 }
        count.notifyAll()
      }
    }
    for round in 1...1_000 {
      for right in rights { check(right.right.post(1) == nil) }
      if port.port.waiting() != nil { count.withLock { $0 += 1 } }
      guard count.wait(until: Deadline(after: .seconds(5)), while: { $0 < 2 * round }) else {
        Issue.record("mail was in hand and the set was not told, in round \(round)")
        break
      }
    }
    check(rights[0].right.post(0) == nil)
    waiter.join()
  }
}

final class PortList: Sendable {
  let list: [PortBox]
  init(_ list: [PortBox]) { self.list = list }
}
