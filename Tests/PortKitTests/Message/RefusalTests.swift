import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Messages that are not sent come back with everything in them; peers that answer too often are not believed.
@Suite struct RefusalTests {
  /// A message with a right of each kind, and the ports behind them.
  private final class Loaded {
    let replies: ReceiveRight
    let target: ReceiveRight
    let toCarried: SendRight
    var message: Message?

    init(bytes: Int) throws {
      let replies = try ReceiveRight()
      let target = try ReceiveRight()
      let port = try ReceiveRight()
      let toCarried = try port.makeSendRight()
      var loaded = Message(id: 4, body: [UInt8](repeating: 9, count: bytes))
      loaded.setReply(try replies.makeSendOnceRight())
      loaded.attach(try target.makeSendRight())
      loaded.attach(try target.makeSendOnceRight())
      loaded.attach(port)
      self.replies = replies
      self.target = target
      self.toCarried = toCarried
      message = consume loaded
    }

    /// Every right is there and works.
    func expectWhole(_ message: consuming Message, bytes: Int) throws {
      var back = message
      check(back.id == 4 && back.body.count == bytes && back.rightsCount == 3)
      check(target.waiting() == nil && replies.waiting() == nil && !toCarried.isDeadName)
      try back.takeReply()!.send(Message(id: 5)).get()
      check(replies.waiting() == Received(id: 5))
      try back.takeSendRight(at: 0).send(Message(id: 6)).get()
      try back.takeSendOnceRight(at: 1).send(Message(id: 7)).get()
      check(target.next() == Received(id: 6) && target.next() == Received(id: 7))
      let port = try back.takeReceiveRight(at: 2)
      check(toCarried.post(8) == nil && port.waiting() == Received(id: 8))
    }
  }

  @Test("C13: bodies up to the limit pass", arguments: [0, 1, 65_535, 65_536])
  func sizesThatPass(bytes: Int) throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let loaded = try Loaded(bytes: bytes)
    try right.send(loaded.message.take()!).get()
    try loaded.expectWhole(try port.receive(timeout: .seconds(5)), bytes: bytes)
  }

  @Test("C13: one byte more is refused by every way to send; nothing is queued, every right is still there")
  func sizesThatDoNot() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let bytes = Limits.inlineBody + 1
    #expect(Limits.inlineBody == 65_536)
    let sent = try Loaded(bytes: bytes)
    let refusal = PortError.messageTooLarge(bytes: bytes, limit: Limits.inlineBody)
    guard case .returned(let back, refusal) = right.send(sent.message.take()!, timeout: .zero) else {
      Issue.record("was sent")
      return
    }
    try sent.expectWhole(back, bytes: bytes)
    // A call makes its own reply right, so the message may not have one.
    let called = try Loaded(bytes: bytes)
    var request = called.message.take()!
    let reply = request.takeReply()!
    guard case .returned(var unsent, refusal) = right.call(request) else {
      Issue.record("was called")
      return
    }
    unsent.setReply(reply)
    try called.expectWhole(unsent, bytes: bytes)
    let answered = try Loaded(bytes: bytes)
    let once = try port.makeSendOnceRight()
    guard case .returned(let unanswered, refusal) = once.send(answered.message.take()!) else {
      Issue.record("was answered")
      return
    }
    try answered.expectWhole(unanswered, bytes: bytes)
    // The right that should have sent it is used up all the same.
    check(port.waiting() == Received(id: 71, notification: .sendOnce) && port.waiting() == nil)
    check(port.faults.isEmpty && right.post(1, timeout: .zero) == nil)
  }

  /// A right that was moved or used is no value any more: `MisuseTests` has what does not compile.
  private enum Death: CaseIterable { case destroyed, movedIntoNothing, transferred }

  private func deadPort(_ death: Death, _ port: consuming ReceiveRight) throws {
    switch death {
    case .destroyed: try port.destroy()
    case .movedIntoNothing:
      var message = Message(id: 1)
      message.attach(port)
      let nowhere = try ReceiveRight()
      try nowhere.makeSendRight().send(message).get()
    case .transferred:
      let next = try port.transfer()
      do {
        _ = try port.makeSendRight()
        Issue.record("a right to a port that has another owner")
      } catch { check(error == .portChanged) }
      _ = consume next
    }
  }

  @Test("C14: a dead destination is an error; the reply right and all others are still there and usable")
  func deadDestinations() throws {
    for death in Death.allCases {
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      let once = try port.makeSendOnceRight()
      try deadPort(death, port)
      let first = try Loaded(bytes: 3)
      guard case .returned(let back, .deadName) = right.send(first.message.take()!) else {
        Issue.record("sent to a dead name, \(death)")
        return
      }
      try first.expectWhole(back, bytes: 3)
      let second = try Loaded(bytes: 3)
      guard case .returned(let unused, .deadName) = once.send(second.message.take()!) else {
        Issue.record("answered a dead name, \(death)")
        return
      }
      try second.expectWhole(unused, bytes: 3)
    }
  }

  /// The library's own values cannot (`MisuseTests`); a program without it can.
  @Test("C17: a server that answers twice: its client has the first answer, the second is dropped and counted")
  func twoAnswers() throws {
    let pair = try PacketSocket.pair()
    let right = SendRight(adopting: PacketSocket(try pair.first.descriptor.duplicate()))
    let server = PacketBox(PacketSocket(try pair.second.descriptor.duplicate()))
    let thread = WorkerThread {
      for answers in [[10, 11], [12]] as [[Int32]] {
        guard let number = server.nextCall() else { return }
        for id in answers { server.answer(number, id) }
      }
    }
    let first = try right.call(Message(id: 1), timeout: .seconds(5)).get()
    let second = try right.call(Message(id: 2), timeout: .seconds(5)).get()
    thread.join()
    check(first.id == 10 && second.id == 12)
    let late = right.end.calls.withLock { $0.lateReplies }
    check(late == 1, "\(late) late replies")
    check(!right.isDeadName && ending(right.call(Message(id: 3), timeout: .zero)) == .timedOut)
  }

  @Test("C17: the holder of a send-once right that sends twice: its maker has exactly one message")
  func twoMessagesOnASendOnceRight() throws {
    let port = try ReceiveRight()
    var once = try port.makeSendOnceRight()
    let wire = PacketSocket(Descriptor(owning: dup(try once.promote())))
    for id in [20, 21] as [Int32] {
      let frame = FrameHeader(kind: .message, id: id).encoded()
      check(try wire.send(head: frame, tail: nil, 0..<0, descriptors: []))
    }
    check(port.next() == Received(id: 20) && port.waiting() == nil)
    // The wire is closed for good, whoever still holds a duplicate.
    check(try hasHungUp(of: wire.descriptor.number))
    _ = consume once
    check(port.waiting() == nil)
  }

  @Test("A sender to a port with queue limit 0 hears of its death") func nothingFitsAndNobodyIsThere() throws {
    let port = try ReceiveRight()
    try port.setQueueLimit(0)
    let right = RightBox(try port.makeSendRight())
    check(right.right.post(1, timeout: .zero) == .timedOut)
    let end = Monitor<PortError?>(nil)
    let sender = WorkerThread {
      let error = right.right.post(2, timeout: nil)
      end.withLock { $0 = error }
      end.notifyAll()
    }
    let deadline = Deadline(after: .seconds(5))
    while !right.right.end.queue.withLock({ $0.isSomebodyWaiting }), !deadline.hasPassed { sched_yield() }
    try port.destroy()
    let hasEnded = end.wait(until: Deadline(after: .seconds(5))) { $0 == nil }
    check(hasEnded && end.withLock { $0 } == .deadName)
    if hasEnded { sender.join() }
    check(right.right.post(3, timeout: .zero) == .deadName && right.right.post(4, timeout: nil) == .deadName)
  }
}

/// A server without the library.
private final class PacketBox: Sendable {
  private let socket: PacketSocket
  init(_ socket: consuming PacketSocket) { self.socket = socket }

  func nextCall() -> UInt64? {
    var receiver = PacketReceiver()
    guard case .packet(let buffer, _) = receiver.receive(from: socket, until: Deadline(after: .seconds(5))) else {
      return nil
    }
    return try? FrameHeader(decoding: buffer.bytes(0..<buffer.count)).sequence
  }

  func answer(_ number: UInt64, _ id: Int32) {
    let frame = FrameHeader(kind: .reply, id: id, sequence: number).encoded()
    let isSent = try? socket.send(head: frame, tail: nil, 0..<0, descriptors: [])
    check(isSent == true)
  }
}
