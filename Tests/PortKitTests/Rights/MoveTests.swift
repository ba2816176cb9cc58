import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Rights that travel in messages.
@Suite struct MoveTests {
  @Test func aFreshRightMoves() throws {
    let port = try ReceiveRight()
    var right = try port.makeSendRight()
    for _ in 0..<3 { right = try moved(right) }
    check(right.post(1) == nil)
    check(port.next() == Received(id: 1))
    check(port.makeSendCount == 1)
  }

  @Test func aUsedRightMovesWithItsMailInOrderAndItsCallNumbers() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    for id in 0..<3 as Range<Int32> { check(right.post(id) == nil) }
    let next = right.end.travelState.nextCall
    let moved = try moved(right)
    check(moved.end.travelState.nextCall == next)
    check(moved.post(3) == nil)
    for id in 0..<4 as Range<Int32> { check(port.next() == Received(id: id)) }
  }

  /// The late reply of an abandoned call goes to nobody: not to the next holder, whose calls have their own answers.
  @Test func anAbandonedCallStaysBehind() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    check(ending(right.call(Message(id: 1), timeout: .zero)) == .timedOut)
    let moved = try moved(right)
    var first = try port.receive(timeout: .seconds(5))
    let late = OnceBox(first.takeReply()!)
    check(moved.end.mayStillBeAnswered == false)
    let box = PortBox(consume port)
    let service = WorkerThread {
      guard var second = try? box.port.receive(timeout: .seconds(5)), let reply = second.takeReply() else { return }
      _ = late.take()?.send(Message(id: 100))
      _ = reply.send(Message(id: 200))
    }
    let answer = try moved.call(Message(id: 2), timeout: .seconds(5)).get()
    check(answer.id == 200)
    service.join()
  }

  @Test func aSendOnceRightMovesAndWorksOnce() throws {
    let port = try ReceiveRight()
    let way = try port.makeSendRight()
    let target = try ReceiveRight()
    var message = Message(id: 1)
    message.attach(try target.makeSendOnceRight())
    try way.send(message).get()
    var received = try port.receive(timeout: .seconds(5))
    let once = try received.takeSendOnceRight(at: 0)
    try once.send(Message(id: 9)).get()
    check(target.next() == Received(id: 9))
    check(target.waiting() == nil)
  }

  @Test func aRefusedMessageComesBackWholeWithItsRights() throws {
    let port = try ReceiveRight()
    let target = try ReceiveRight()
    let right = try port.makeSendRight()
    let carried = try target.makeSendRight()
    let watched = try carried.requestDeadNameNotification(to: port)
    check(ending(carried.call(Message(id: 1), timeout: .zero)) == .timedOut)
    _ = right.fill()
    var message = Message(id: 5, body: [1, 2, 3])
    message.traceID = 77
    message.attach(carried)
    message.attach(try target.makeSendOnceRight())
    message.setReply(try target.makeSendOnceRight())
    switch right.send(message, timeout: .zero) {
    case .sent: Issue.record("not refused")
    case .returned(var message, let error):
      check(error == .timedOut && message.id == 5 && message.traceID == 77 && bytes(of: message) == [1, 2, 3])
      check(message.rightsCount == 2 && message.wantsReply)
      let back = try message.takeSendRight(at: 0)
      check(back.end.mayStillBeAnswered)
      check(target.next() == Received(id: 1))
      check(back.post(6) == nil && target.next() == Received(id: 6))
      try message.takeReply()!.send(Message(id: 7)).get()
      check(target.next() == Received(id: 7))
      try message.takeSendOnceRight(at: 1).send(Message(id: 8)).get()
      check(target.next() == Received(id: 8))
      // The request for the right that came back is still armed.
      target.destroyed()
      while let next = port.next(), next.id == 7 {}
      check(back.isDeadName)
      _ = watched
    }
  }

  @Test func aRefusedMessageKeepsTheRequestsOfItsRights() throws {
    let port = try ReceiveRight()
    let notified = try ReceiveRight()
    let right = try port.makeSendRight()
    _ = right.fill()
    let holder = PortHolder(try ReceiveRight())
    let target = holder.take()!
    let carried = try target.makeSendRight()
    let request = try carried.requestDeadNameNotification(to: notified)
    var message = Message(id: 5)
    message.attach(carried)
    switch right.send(message, timeout: .zero) {
    case .sent: Issue.record("not refused")
    case .returned(let message, _):
      target.destroyed()
      check(notified.next()?.notification == .deadName(request))
      check(message.rightsCount == 1)
    }
  }

  @Test func sendingToADeadNameGivesEverythingBack() throws {
    let target = try ReceiveRight()
    let right = try deadRight()
    var message = Message(id: 5)
    message.attach(try target.makeSendRight())
    switch right.send(message) {
    case .sent: Issue.record("sent to nobody")
    case .returned(var message, let error):
      check(error == .deadName)
      check(try message.takeSendRight(at: 0).post(1) == nil)
      check(target.next() == Received(id: 1))
    }
  }

  @Test func aDeadNameMovesAndStaysDead() throws {
    let moved = try moved(try deadRight())
    check(moved.isDeadName && moved.post(1) == .deadName)
  }

  /// Other people's files must not be taken for wires.
  @Test func aDescriptorThatIsNoWireEndsTheWireThatBroughtIt() throws {
    for number in RawSocket.strangers() + [try EventCounter().descriptor.duplicate().relinquish()] {
      let stranger = Descriptor(owning: number)
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      var bytes = FrameHeader(kind: .message, rights: 1).encoded()
      RightEntry(kind: .send, index: 0).append(to: &bytes)
      check(right.inject(bytes, descriptors: [stranger.number]))
      check(port.waiting() == nil && right.isDeadName)
      check(port.faults == [.unexpected("a descriptor that is not a wire")])
    }
  }
}

extension ReceiveRight {
  consuming func destroyed() {}
}

/// A right whose port is gone.
func deadRight() throws -> SendRight {
  let port = try ReceiveRight()
  return try port.makeSendRight()
}
