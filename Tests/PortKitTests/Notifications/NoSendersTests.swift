import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct NoSendersTests {
  @Test("C38: one no-senders, then silence until armed again")
  func oneAndThenSilence() throws {
    let port = try ReceiveRight()
    check(try port.requestNoSendersNotification(sync: 1) == nil)
    _ = try port.makeSendRight()
    check(port.next()?.notification == .noSenders(makeSendCount: 1))
    _ = try port.makeSendRight()
    check(port.waiting() == nil)
    try port.requestNoSendersNotification(sync: 2)
    check(port.next()?.notification == .noSenders(makeSendCount: 2))
    check(port.waiting() == nil)
  }

  @Test("C38: arming again returns the earlier request, cancelling the last one")
  func armingAgain() throws {
    let port = try ReceiveRight()
    let first = try ReceiveRight()
    let second = try ReceiveRight()
    let right = RightHolder(try port.makeSendRight())
    check(try port.requestNoSendersNotification(sync: 1, to: first) == nil)
    let earlier = try port.requestNoSendersNotification(sync: 0, to: second)
    check(earlier == NoSendersRequest(target: first.id, sync: 1))
    check(try port.status().noSendersRequest == NoSendersRequest(target: second.id, sync: 0))
    check(try port.requestNoSendersNotification(sync: 1) == NoSendersRequest(target: second.id, sync: 0))
    check(try port.cancelNoSendersNotification() == NoSendersRequest(target: port.id, sync: 1))
    check(try port.cancelNoSendersNotification() == nil && port.status().noSendersRequest == nil)
    right.drop()
    check(first.waiting() == nil && second.waiting() == nil && port.waiting() == nil)
    check(try port.requestNoSendersNotification(sync: 2, to: second) == nil)
    check(try port.requestNoSendersNotification(sync: 1, to: second) == NoSendersRequest(target: second.id, sync: 2))
    check(second.next()?.notification == .noSenders(makeSendCount: 1))
    check(first.waiting() == nil && port.waiting() == nil)
  }

  @Test("C40: sync says whether to wait for the first share; a stale count is below the port's")
  func syncAndStaleness() throws {
    let unshared = try ReceiveRight()
    try unshared.requestNoSendersNotification(sync: 0)
    check(unshared.next()?.notification == .noSenders(makeSendCount: 0))
    let port = try ReceiveRight()
    try port.requestNoSendersNotification(sync: 1)
    check(port.waiting() == nil)
    do {
      let right = try port.makeSendRight()
      check(port.waiting() == nil && right.post(1) == nil && port.next() == Received(id: 1))
    }
    // It lies queued while a new right is made.
    let newer = RightHolder(try port.makeSendRight())
    check(port.next()?.notification == .noSenders(makeSendCount: 1) && port.makeSendCount == 2)
    try port.requestNoSendersNotification(sync: 2)
    check(port.waiting() == nil)
    newer.drop()
    check(port.next()?.notification == .noSenders(makeSendCount: 2))
    let notices = try ReceiveRight()
    let last = RightHolder(try port.makeSendRight())
    try port.requestNoSendersNotification(sync: 3, to: notices)
    last.drop()
    let newest = RightHolder(try port.makeSendRight())
    check(notices.next()?.notification == .noSenders(makeSendCount: 3) && port.makeSendCount == 4)
    try port.requestNoSendersNotification(sync: 4, to: notices)
    check(notices.waiting() == nil)
    newest.drop()
    check(notices.next()?.notification == .noSenders(makeSendCount: 4))
    // What was due when it was replaced or cancelled was told.
    _ = try port.makeSendRight()
    try port.requestNoSendersNotification(sync: 6, to: notices)
    _ = try port.makeSendRight()
    check(try port.cancelNoSendersNotification() == nil)
    check(notices.waiting()?.notification == .noSenders(makeSendCount: 6) && port.waiting() == nil)
  }

  @Test func anotherPortIsToldThoughNobodyReceivesFromTheFirst() throws {
    let port = try ReceiveRight()
    let target = PortBox(try ReceiveRight())
    for round in 1...100 {
      let right = RightHolder(try port.makeSendRight())
      try port.requestNoSendersNotification(sync: 1, to: target.port)
      let waiter = ResultThread { target.port.next() }
      check(eventually { target.port.mailbox.isBeingPolled })
      right.drop()
      check(waiter.value() == Received(id: 70, notification: .noSenders(makeSendCount: round)))
    }
  }

  @Test func anotherPortIsToldAfterTheLastMessageOnly() throws {
    let port = try ReceiveRight()
    let target = try ReceiveRight()
    let set = try PortSet()
    try set.insert(target)
    try port.requestNoSendersNotification(sync: 1, to: target)
    do {
      let right = try port.makeSendRight()
      check(right.post(1) == nil && right.post(2) == nil)
    }
    check(target.waiting() == nil && set.waiting() == nil)
    check(port.next() == Received(id: 1) && target.waiting() == nil)
    check(port.next() == Received(id: 2))
    check(set.next() == Arrival(id: 70, member: target.id))
    check(port.waiting() == nil && target.waiting() == nil)
  }

  @Test("E6: a port that is destroyed first gives the other port a send-once notification")
  func destroyedWhileArmed() throws {
    let target = try ReceiveRight()
    do {
      let port = try ReceiveRight()
      try port.requestNoSendersNotification(sync: 1, to: target)
    }
    check(target.next() == Received(id: 71, notification: .sendOnce))
    check(target.waiting() == nil)
    let port = try ReceiveRight()
    do {
      let gone = try ReceiveRight()
      try port.requestNoSendersNotification(sync: 1, to: gone)
    }
    _ = try port.makeSendRight()
    check(port.waiting() == nil)
  }

  @Test("E5: send-once rights that go are no senders that go; they count for themselves")
  func sendOnceRightsDoNotCount() throws {
    let port = try ReceiveRight()
    let right = RightHolder(try port.makeSendRight())
    try port.requestNoSendersNotification(sync: 1)
    _ = try port.makeSendOnceRight()
    check(port.next()?.notification == .sendOnce && port.waiting() == nil)
    right.drop()
    check(port.next()?.notification == .noSenders(makeSendCount: 1))
  }

  /// The port and the one that is told are looked at from two threads: neither waits for the other's lock.
  @Test func bothPortsAreInUse() throws {
    let port = try ReceiveRight()
    let target = PortBox(try ReceiveRight())
    let told = Monitor(0)
    let receiver = WorkerThread {
      while let next = target.port.next(timeout: .seconds(20)), next.id == 70 {
        told.withLock { $0 += 1 }
        told.notifyAll()
      }
    }
    for round in 1...500 {
      let right = RightHolder(try port.makeSendRight())
      check(try port.requestNoSendersNotification(sync: round, to: target.port) == nil)
      right.drop()
      check(port.waiting() == nil)
      check(told.wait(until: Deadline(after: .seconds(5)), while: { $0 < round }))
    }
    check(try target.port.makeSendRight().post(0) == nil)
    receiver.join()
  }

  @Test func aRingOfPortsIsRefused() throws {
    let port = try ReceiveRight()
    let other = try ReceiveRight()
    try port.requestNoSendersNotification(sync: 1, to: other)
    let error = refusal { () throws(PortError) in _ = try other.requestNoSendersNotification(sync: 1, to: port) }
    if case .system = error {} else { Issue.record("not refused: \(String(describing: error))") }
    check(try other.status().noSendersRequest == nil)
    try port.cancelNoSendersNotification()
    try other.requestNoSendersNotification(sync: 0, to: port)
    check(port.next()?.notification == .noSenders(makeSendCount: 0) && other.waiting() == nil)
  }
}

/// A right that goes when a test says so.
final class RightHolder: Sendable {
  private let right: Monitor<SendRight?>
  init(_ right: consuming SendRight) { self.right = Monitor(consume right) }
  func drop() { _ = right.withLock { $0.take() } }

  func withRight<Result>(_ body: (borrowing SendRight) throws -> Result) rethrows -> Result? {
    try right.withLock { right in
      guard right != nil else { return nil }
      return try body(right!)
    }
  }
}
