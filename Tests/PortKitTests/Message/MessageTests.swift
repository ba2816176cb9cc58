import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct MessageTests {
  @Test func aMessageArrivesAsItLeft() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    for size in [0, 1, 4096, 4320, 4321, 65_535, Limits.inlineBody] {
      let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      var message = Message(id: .min, body: body)
      message.traceID = .max
      try right.send(message).get()
      let received = try port.receive(timeout: .seconds(5))
      check(received.id == .min && received.traceID == .max && received.notification == nil)
      check(bytes(of: received) == body && received.rightsCount == 0 && !received.wantsReply)
      check(received.sender?.processID == ProcessFacts.processID)
    }
  }

  @Test func aBodyOverTheLimitComesBack() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let limit = Limits.inlineBody
    switch right.send(Message(id: 3, body: [UInt8](repeating: 5, count: limit + 1)), timeout: .zero) {
    case .sent: Issue.record("not refused")
    case .returned(let message, let error):
      check(error == .messageTooLarge(bytes: limit + 1, limit: limit))
      check(message.body.count == limit + 1 && message.id == 3)
    }
    check(port.waiting() == nil)
  }

  @Test func rightsAreTakenOnceAndByTheirKind() throws {
    let port = try ReceiveRight()
    var message = Message(id: 1)
    check(message.attach(try port.makeSendRight()) == 0)
    check(message.attach(try port.makeSendOnceRight()) == 1)
    #expect(throws: PortError.wrongKindOfRight(index: 0)) { _ = try message.takeSendOnceRight(at: 0) }
    #expect(throws: PortError.wrongKindOfRight(index: 1)) { _ = try message.takeSendRight(at: 1) }
    #expect(throws: PortError.noSuchRight(index: 2)) { _ = try message.takeSendRight(at: 2) }
    #expect(throws: PortError.noSuchRight(index: -1)) { _ = try message.takeSendRight(at: -1) }
    _ = try message.takeSendRight(at: 0)
    #expect(throws: PortError.noSuchRight(index: 0)) { _ = try message.takeSendRight(at: 0) }
    let right = try port.makeSendRight()
    let refusal = error(of: right.send(message))
    check(refusal == .noSuchRight(index: 0))
    check(port.next()?.notification == .sendOnce)
  }

  @Test func imitatedNotificationsAreOrdinaryMessages() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    check(right.post(PortNotification.noSenders(makeSendCount: 0).messageID) == nil)
    check(port.next() == Received(id: 70, notification: nil))
  }

  @Test func aCalledMessageMakesItsOwnReplyRight() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    var message = Message(id: 1)
    message.setReply(try port.makeSendOnceRight())
    let end = ending(right.call(message, timeout: .zero))
    check(end == .wrongKindOfRight(index: 0))
    check(port.next()?.notification == .sendOnce)
  }

  /// A message that nobody ever receives takes its rights with it.
  @Test func rightsInDestroyedMailDie() throws {
    let target = try ReceiveRight()
    let holder = try ReceiveRight()
    let witness = try holder.makeSendRight()
    do {
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      var message = Message(id: 1)
      message.attach(try target.makeSendOnceRight())
      message.attach(try target.makeSendRight())
      try right.send(message).get()
      var staged = Message(id: 2)
      staged.attach(try target.makeSendOnceRight())
      try right.send(staged).get()
    }
    try target.requestNoSendersNotification(sync: 1)
    check(target.next()?.notification == .sendOnce)
    check(target.next()?.notification == .sendOnce)
    check(target.next()?.notification == .noSenders(makeSendCount: 1))
    check(!witness.isDeadName)
  }
}
