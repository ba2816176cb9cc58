import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// A port in its own queue, or in that of a port that is in its queue: nobody could ever receive it (S8, T6).
@Suite struct CircularMoveTests {
  private enum Way: CaseIterable { case right, copy, copyOfACopy, sendOnce, large, call }

  /// The error, and the port with it.
  private func refusal(
    of port: consuming ReceiveRight, _ way: Way, _ witness: borrowing SendRight
  ) throws -> (PortError, PortHolder)? {
    let right = try port.makeSendRight()
    let copy = try right.copy()
    check(port.waiting() == nil)
    let second = try copy.copy()
    check(port.waiting() == nil)
    check(witness.post(2) == nil)
    let once = try port.makeSendOnceRight()
    let other = try ReceiveRight()
    var message = Message(id: 5)
    if way == .large { for _ in 0..<300 { message.attach(try other.makeSendRight()) } }
    let place = message.attach(port)
    let outcome: SendOutcome
    switch way {
    case .right, .large: outcome = right.send(message)
    case .copy: outcome = copy.send(message)
    case .copyOfACopy: outcome = second.send(message)
    case .sendOnce: outcome = once.send(message)
    case .call:
      switch copy.call(message) {
      case .returned(let back, let error): outcome = .returned(back, error)
      default: return nil
      }
    }
    switch consume outcome {
    case .sent: return nil
    case .returned(var back, let error): return (error, PortHolder(try back.takeReceiveRight(at: place)))
    }
  }

  @Test("S8: a message with the receive right of its own destination is refused, and whole", arguments: Way.allCases)
  private func theDirectCircleIsRefused(_ way: Way) throws {
    let port = try ReceiveRight()
    let witness = try port.makeSendRight()
    check(witness.post(1) == nil)
    check(port.next() == Received(id: 1))
    guard let (error, holder) = try refusal(of: port, way, witness) else {
      Issue.record("not refused")
      return
    }
    check(error == .circularMove && !witness.isDeadName)
    let back = holder.take()!
    // With the notice of the send-once right, which is gone, used for this or not.
    check(Set([back.next()?.id, back.next()?.id]) == [2, 71] && back.waiting() == nil)
  }

  /// Of a copy that came from elsewhere nobody here knows where it leads: here one that lies unadopted in its wire.
  @Test("T6: an unseen circle is collected by the kernel; nothing stays open") func anUnseenCircle() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let port = try ReceiveRight()
        let copy = try port.makeSendRight().copy()
        let witness = try port.makeSendRight()
        var message = Message(id: 5)
        message.attach(port)
        try copy.send(message).get()
        check(CircularMoveTests.collected(witness) && copy.isDeadName)
      }
      checkCensus(before)
    }
  }

  @Test("T6: two ports, each sent through the other, are dead names, and nothing stays open") func twoPorts() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let first = try ReceiveRight()
        let second = try ReceiveRight()
        let toFirst = try first.makeSendRight()
        let toSecond = try second.makeSendRight()
        let gift = try ReceiveRight()
        let once = try gift.makeSendOnceRight()
        var message = Message(id: 1)
        message.attach(first)
        message.attach(once)
        try toSecond.send(message).get()
        var back = Message(id: 2)
        back.attach(second)
        try toFirst.send(back).get()
        check(CircularMoveTests.collected(toFirst) && CircularMoveTests.collected(toSecond))
        // What was in their mail is destroyed as by any other end of a port.
        check(gift.next()?.notification == .sendOnce)
        check(toFirst.post(3) == .deadName && toSecond.post(4) == .deadName)
      }
      checkCensus(before)
    }
  }

  /// A socket that is closed lets the kernel look for what nobody can reach.
  static func collected(_ right: borrowing SendRight) -> Bool {
    let deadline = Deadline(after: .seconds(5))
    while !right.isDeadName, !deadline.hasPassed { _ = try? ReceiveRight().makeSendRight() }
    return right.isDeadName
  }
}
