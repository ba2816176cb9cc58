import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct NotificationTests {
  // MARK: No senders

  @Test func noSendersComesAfterTheLastMessage() throws {
    let port = try ReceiveRight()
    try port.requestNoSendersNotification(sync: 1)
    check(port.waiting() == nil)
    do {
      let right = try port.makeSendRight()
      let copy = try right.copy()
      check(right.post(1) == nil && copy.post(2) == nil)
    }
    check(port.next() == Received(id: 1))
    check(port.next() == Received(id: 2))
    check(port.next() == Received(id: 70, notification: .noSenders(makeSendCount: 1)))
    check(port.waiting() == nil)
  }

  @Test func syncSaysWhetherToWaitForTheFirstShare() throws {
    let unshared = try ReceiveRight()
    try unshared.requestNoSendersNotification(sync: 0)
    check(unshared.hasStagedMail)
    check(unshared.waiting()?.notification == .noSenders(makeSendCount: 0))
    check(!unshared.hasStagedMail && unshared.waiting() == nil)
    let port = try ReceiveRight()
    try port.requestNoSendersNotification(sync: 2)
    _ = try port.makeSendRight()
    check(port.waiting() == nil)
    _ = try port.makeSendRight()
    check(port.waiting()?.notification == .noSenders(makeSendCount: 2))
  }

  @Test func aStaleNotificationIsKnownByItsCount() throws {
    let port = try ReceiveRight()
    _ = try port.makeSendRight()
    try port.requestNoSendersNotification(sync: 1)
    let notice = port.next()?.notification
    _ = try port.makeSendRight()
    check(notice == .noSenders(makeSendCount: 1) && port.makeSendCount == 2)
  }

  @Test func aRightInFlightKeepsNoSendersAway() throws {
    let port = try ReceiveRight()
    let carrier = try ReceiveRight()
    let way = try carrier.makeSendRight()
    var message = Message(id: 1)
    message.attach(try port.makeSendRight())
    try way.send(message).get()
    try port.requestNoSendersNotification(sync: 1)
    check(port.waiting() == nil)
    do {
      var received = try carrier.receive(timeout: .seconds(5))
      check(port.waiting() == nil)
      check(try received.takeSendRight(at: 0).post(3) == nil)
    }
    check(port.next() == Received(id: 3))
    check(port.next()?.notification == .noSenders(makeSendCount: 1))
  }

  @Test func sendOnceRightsAreNoSenders() throws {
    let port = try ReceiveRight()
    let once = OnceBox(try port.makeSendOnceRight())
    _ = try port.makeSendRight()
    try port.requestNoSendersNotification(sync: 1)
    check(port.next()?.notification == .noSenders(makeSendCount: 1))
    check(port.waiting() == nil)
    _ = once.take()
    check(port.next()?.notification == .sendOnce)
  }

  /// A request that is due at once wakes a thread that already sleeps in `receive`, and a run loop.
  @Test func aRequestThatIsDueWakesASleeper() throws {
    for _ in 0..<50 {
      let box = PortBox(try ReceiveRight())
      let sleeper = WorkerThread { check(box.port.next()?.notification == .noSenders(makeSendCount: 0)) }
      while !box.port.mailbox.isBeingPolled {}
      try box.port.requestNoSendersNotification(sync: 0)
      sleeper.join()
      let number = box.port.pollDescriptor
      check(try !waitForReadiness(of: number, .readable, until: Deadline(after: .zero)))
    }
    let port = try ReceiveRight()
    try port.requestNoSendersNotification(sync: 0)
    check(try waitForReadiness(of: port.pollDescriptor, .readable, until: Deadline(after: .zero)))
  }

  // MARK: Send-once

  @Test func eachSendOnceRightGivesExactlyOneMessage() throws {
    let port = try ReceiveRight()
    let way = try ReceiveRight()
    let toWay = try way.makeSendRight()
    try port.makeSendOnceRight().send(Message(id: 1)).get()
    _ = try port.makeSendOnceRight()
    var destroyed = Message(id: 2)
    destroyed.attach(try port.makeSendOnceRight())
    try toWay.send(destroyed).get()
    _ = try way.receive(timeout: .seconds(5))
    let large = error(of: try port.makeSendOnceRight().send(Message(id: 3, body: [UInt8](repeating: 0, count: 65_537))))
    check(large == .messageTooLarge(bytes: 65_537, limit: Limits.inlineBody))
    var seen: [Received] = []
    while let next = port.waiting() { seen.append(next) }
    check(seen.filter { $0 == Received(id: 1) }.count == 1)
    check(seen.filter { $0.notification == .sendOnce }.count == 3 && seen.count == 4)
  }

  @Test func aPortWithNoticesIsReadable() throws {
    let port = try ReceiveRight()
    _ = try port.makeSendOnceRight()
    _ = try port.makeSendOnceRight()
    let number = port.pollDescriptor
    check(try waitForReadiness(of: number, .readable, until: Deadline(after: .zero)))
    check(port.waiting()?.notification == .sendOnce)
    check(try port.hasStagedMail || waitForReadiness(of: number, .readable, until: Deadline(after: .zero)))
    check(port.waiting()?.notification == .sendOnce)
    check(port.waiting() == nil)
    check(try !waitForReadiness(of: number, .readable, until: Deadline(after: .zero)))
  }

  // MARK: Dead names

  @Test func aDeadNameIsTold() throws {
    let target = try ReceiveRight()
    let holder = PortHolder(try ReceiveRight())
    let port = holder.take()!
    let right = try port.makeSendRight()
    let request = try right.requestDeadNameNotification(to: target)
    check(target.waiting() == nil && !right.isDeadName)
    port.destroyed()
    check(target.next() == Received(id: 72, notification: .deadName(request)))
    check(target.waiting() == nil && right.isDeadName)
    // On a dead name it is told at once, as often as one asks.
    for _ in 0..<3 {
      let again = try right.requestDeadNameNotification(to: target)
      check(target.next()?.notification == .deadName(again))
    }
  }

  @Test func severalRequestsAreEachTold() throws {
    let first = try ReceiveRight()
    let second = try ReceiveRight()
    let holder = PortHolder(try ReceiveRight())
    let port = holder.take()!
    let right = try port.makeSendRight()
    let copy = try right.copy()
    let requests = [
      try right.requestDeadNameNotification(to: first), try right.requestDeadNameNotification(to: first),
      try copy.requestDeadNameNotification(to: first),
    ]
    let other = try right.requestDeadNameNotification(to: second)
    port.destroyed()
    var told: Set<PortNotification> = []
    for _ in requests { if let notice = first.next()?.notification { told.insert(notice) } }
    check(told == Set(requests.map(PortNotification.deadName)))
    check(second.next()?.notification == .deadName(other))
    check(first.waiting() == nil && second.waiting() == nil)
  }

  @Test func aRequestEndsWithItsRight() throws {
    let target = try ReceiveRight()
    let holder = PortHolder(try ReceiveRight())
    let port = holder.take()!
    do {
      let right = try port.makeSendRight()
      let requests = [
        try right.requestDeadNameNotification(to: target), try right.requestDeadNameNotification(to: target),
      ]
      check(target.waiting() == nil)
      _ = consume right
      for request in requests { check(target.next()?.notification == .portDeleted(request)) }
    }
    // The number of the right's descriptor is somebody else's now.
    let heir = try port.makeSendRight()
    let request = try heir.requestDeadNameNotification(to: target)
    port.destroyed()
    check(target.next()?.notification == .deadName(request))
    check(target.waiting() == nil)
  }

  @Test func aMovedRightTakesNoRequestAlong() throws {
    let target = try ReceiveRight()
    let holder = PortHolder(try ReceiveRight())
    let port = holder.take()!
    let way = try ReceiveRight()
    let toWay = try way.makeSendRight()
    let right = try port.makeSendRight()
    let request = try right.requestDeadNameNotification(to: target)
    var message = Message(id: 1)
    message.attach(right)
    try toWay.send(message).get()
    check(target.next() == Received(id: 65, notification: .portDeleted(request)))
    port.destroyed()
    check(target.waiting() == nil)
    var received = try way.receive(timeout: .seconds(5))
    check(try received.takeSendRight(at: 0).isDeadName)
  }

  @Test func theNotifiedPortMayGoFirst() throws {

    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    do {
      let target = try ReceiveRight()
      _ = try right.requestDeadNameNotification(to: target)
    }
    check(right.post(1) == nil && port.next() == Received(id: 1))
  }
}
