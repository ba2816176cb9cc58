import TestSupport
import Testing

@testable import PortKit

/// Rule E11.
@Suite struct SendPossibleTests {
  @Test("C46: a full queue, one received: one send-possible, and the message goes")
  func oneForOneRequest() throws {
    let port = try ReceiveRight()
    let notices = try ReceiveRight()
    let right = try port.makeSendRight()
    for id in Int32(1)...5 { check(right.post(id, timeout: .zero) == nil) }
    check(right.post(6, timeout: .zero) == .timedOut)
    let request = try right.requestSendPossibleNotification(to: notices)
    check(notices.waiting() == nil)
    check(port.waiting() == Received(id: 1))
    check(notices.next() == Received(id: 66, notification: .sendPossible(request)))
    check(right.post(6, timeout: .zero) == nil && right.post(7, timeout: .zero) == .timedOut)
    check(port.waiting() == Received(id: 2) && notices.next(timeout: .milliseconds(20)) == nil)
  }

  @Test("C46: two that wait both hear of it") func everyRequestIsAnswered() throws {
    let port = try ReceiveRight()
    let notices = try ReceiveRight()
    let others = try ReceiveRight()
    let right = try port.makeSendRight()
    for id in Int32(1)...5 { check(right.post(id, timeout: .zero) == nil) }
    let first = try right.requestSendPossibleNotification(to: notices)
    let second = try right.requestSendPossibleNotification(to: others)
    check(first != second && port.waiting() == Received(id: 1))
    check(notices.next()?.notification == .sendPossible(first))
    check(others.next()?.notification == .sendPossible(second))
  }

  @Test func itComesAtOnceWhereThereIsRoom() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let request = try right.requestSendPossibleNotification(to: port)
    check(port.next()?.notification == .sendPossible(request))
  }

  @Test func aRaisedLimitMakesRoom() throws {
    let port = try ReceiveRight()
    let notices = try ReceiveRight()
    let right = try port.makeSendRight()
    for id in Int32(1)...5 { check(right.post(id, timeout: .zero) == nil) }
    let request = try right.requestSendPossibleNotification(to: notices)
    try port.setQueueLimit(6)
    check(notices.next()?.notification == .sendPossible(request))
  }

  @Test func deathAndTheEndOfTheRightAreTold() throws {
    let port = try ReceiveRight()
    let notices = try ReceiveRight()
    let right = try port.makeSendRight()
    try port.setQueueLimit(0)
    check(right.post(1, timeout: .zero) == .timedOut)
    let gone: DeadNameRequest
    do {
      let copy = try right.copy()
      check(copy.post(1, timeout: .zero) == .timedOut)
      gone = try copy.requestSendPossibleNotification(to: notices)
    }
    check(notices.next()?.notification == .portDeleted(gone))
    let request = try right.requestSendPossibleNotification(to: notices)
    port.destroyed()
    check(notices.next()?.notification == .deadName(request))
  }

  @Test func nothingStaysOpen() async {
    await #expect(processExitsWith: .success) {
      // The reactor stays.
      let warm = try ReceiveRight()
      _ = try warm.makeSendRight().requestSendPossibleNotification(to: warm)
      let before = openDescriptors()
      for round in 0..<200 {
        let port = try ReceiveRight()
        let right = try port.makeSendRight()
        if round % 2 == 0 { try port.setQueueLimit(0) }
        _ = try right.requestSendPossibleNotification(to: port)
      }
      checkCensus(before)
    }
  }

  /// A thread that reads for a call may be the one that finds the new limit: the kernel gives no sign of that.
  @Test func aLimitThatAnotherThreadReadIsHeardOf() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let own = try ReceiveRight()
    right.end.setLimit(0)
    let request = try right.requestSendPossibleNotification(to: own)
    check(own.waiting() == nil)
    right.end.setLimit(1)
    check(own.next()?.notification == .sendPossible(request))
  }
}
