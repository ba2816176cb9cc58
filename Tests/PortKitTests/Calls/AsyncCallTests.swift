import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// Calls of tasks: each ends once, however it ends.
@Suite struct AsyncCallTests {
  @Test func aTaskGetsItsReply() async throws {
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    let service = EchoThread(consume port)
    for value in UInt8(0)..<20 { #expect(await right.ending(7, [value]) == .reply(8, [value])) }
    service.stop(right.right)
  }

  @Test func aDroppedReplyRightEndsIt() async throws {
    let port = PortBox(try ReceiveRight())
    let right = RightBox(try port.port.makeSendRight())
    async let ending = right.ending(1)
    _ = await port.nextReply()
    #expect(await ending == .failed(.replyDropped))
  }

  @Test func aDyingPortEndsIt() async throws {
    let holder = PortHolder(try ReceiveRight())
    let port = holder.take()!
    let right = RightBox(try port.makeSendRight())
    async let ending = right.ending(1)
    await port.waitForMail()
    let message = try port.receive(timeout: .seconds(5))
    check(message.wantsReply)
    // The reply right goes with the message, after the port.
    port.destroyed()
    _ = consume message
    let end = await ending
    #expect(end == .failed(.replyDropped) || end == .failed(.deadName))
    #expect(await right.ending(2, [1]) == .returned(2, [1], .deadName))
  }

  @Test func aRequestThatNobodyTookEndsWithThePort() async throws {
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    async let first = right.ending(1)
    // In the wire when the port goes.
    await port.waitForMail()
    port.destroyed()
    #expect(await first == .failed(.deadName))
  }

  @Test func itsDeadlineEndsItAndTheLateReplyIsCounted() async throws {
    let port = PortBox(try ReceiveRight())
    let right = RightBox(try port.port.makeSendRight())
    #expect(await right.ending(1, timeout: .milliseconds(20)) == .failed(.timedOut))
    #expect(await right.ending(2, timeout: .zero) == .failed(.timedOut))
    try await port.nextReply()!.take()!.send(Message(id: 101)).get()
    _ = await port.nextReply()
    async let third = right.ending(3)
    try await port.nextReply()!.take()!.send(Message(id: 103)).get()
    #expect(await third == .reply(103, []))
    check(right.right.lateReplies == 2)
  }

  @Test func cancellationEndsItAndTheLateReplyIsCounted() async throws {
    let port = PortBox(try ReceiveRight())
    let right = RightBox(try port.port.makeSendRight())
    let task = Task { await right.ending(1, timeout: nil) }
    let reply = await port.nextReply()
    task.cancel()
    #expect(await task.value == .failed(.cancelled))
    try reply!.take()!.send(Message(id: 101)).get()
    async let next = right.ending(2)
    try await port.nextReply()!.take()!.send(Message(id: 102)).get()
    #expect(await next == .reply(102, []))
    check(right.right.lateReplies == 1)
  }

  @Test func cancelledBeforeItLeftItsRequestComesBackWhole() async throws {
    let port = try ReceiveRight()
    let target = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    let gift = RightBox(try target.makeSendRight())
    let task = Task { () -> Bool in
      while !Task.isCancelled { await Task.yield() }
      var request = Message(id: 5, body: [1, 2])
      guard let copy = try? gift.right.copy() else { return false }
      request.attach(copy)
      guard case .returned(var message, .cancelled) = await right.right.outcome(of: request) else { return false }
      return message.body.count == 2 && (try? message.takeSendRight(at: 0).post(6)) == .some(nil)
    }
    task.cancel()
    #expect(await task.value)
    check(target.next() == Received(id: 6))
    check(port.waiting() == nil)
  }

  @Test func withoutRoomItWaitsForSomeAndKeepsTheOrder() async throws {
    let port = PortBox(try ReceiveRight())
    let right = RightBox(try port.port.makeSendRight())
    let mail = right.right.fill()
    let endings = Endings()
    for id in Int32(10)..<13 {
      right.right.call(Message(id: id, body: [UInt8](repeating: 1, count: 4096))) { endings.add($0) }
    }
    for _ in 0..<mail { check(port.port.next() == Received(id: 7)) }
    for id in Int32(10)..<13 {
      var request = try port.port.receive(timeout: .seconds(5))
      #expect(request.id == id)
      try request.takeReply()!.send(Message(id: id + 100)).get()
    }
    #expect(endings.wait(for: 3) == [.reply(110, []), .reply(111, []), .reply(112, [])])
  }

  @Test func aRequestThatWaitsForRoomComesBackWhole() async throws {
    let holder = PortHolder(try ReceiveRight())
    let port = holder.take()!
    let right = RightBox(try port.makeSendRight())
    _ = right.right.fill()
    let body = [UInt8](repeating: 9, count: 4096)
    #expect(await right.ending(1, body, timeout: .milliseconds(20)) == .returned(1, body, .timedOut))
    let task = Task { await right.ending(2, body, timeout: nil) }
    await right.waitForQueue(1)
    task.cancel()
    #expect(await task.value == .returned(2, body, .cancelled))
    async let third = right.ending(3, body, timeout: nil)
    await right.waitForQueue(1)
    port.destroyed()
    #expect(await third == .returned(3, body, .deadName))
    check(!right.right.end.mayStillBeAnswered)
  }

  @Test func itEndsAlthoughItsRightIsGone() async throws {
    let port = PortBox(try ReceiveRight())
    let endings = Endings()
    do {
      let right = try port.port.makeSendRight()
      for id in Int32(1)...3 { right.call(Message(id: id)) { endings.add($0) } }
    }
    for id in Int32(1)...2 { try await port.nextReply()!.take()!.send(Message(id: id + 10)).get() }
    _ = await port.nextReply()
    #expect(Set(endings.wait(for: 3)) == [.reply(11, []), .reply(12, []), .failed(.replyDropped)])
    // And then its wire goes.
    try port.port.requestNoSendersNotification()
    check(port.port.next()?.notification == .noSenders(makeSendCount: 1))
  }

  @Test func aReplyRightThatMovesOnIsAnsweredFromThere() async throws {
    let front = PortBox(try ReceiveRight())
    let back = PortBox(try ReceiveRight())
    let toFront = RightBox(try front.port.makeSendRight())
    let toBack = try back.port.makeSendRight()
    for how in ["answered", "dropped", "late", "cancelled"] {
      let task = Task { await toFront.ending(1, timeout: how == "late" ? .seconds(2) : nil) }
      var forward = Message(id: 2)
      forward.setReply(await front.nextReply()!.take()!)
      try toBack.send(forward).get()
      let reply = await back.nextReply()!
      switch how {
      case "answered":
        try reply.take()!.send(Message(id: 3, body: [4])).get()
        #expect(await task.value == .reply(3, [4]))
      case "dropped":
        _ = reply.take()
        #expect(await task.value == .failed(.replyDropped))
      case "late": #expect(await task.value == .failed(.timedOut))
      default:
        task.cancel()
        #expect(await task.value == .failed(.cancelled))
      }
    }
  }

  @Test func theHundredAndTwentyNinthIsRefusedWhole() async throws {
    let port = PortBox(try ReceiveRight())
    let right = RightBox(try port.port.makeSendRight())
    let endings = Endings()
    for _ in 0..<Limits.callsPerWire { right.right.call(Message(id: 1)) { endings.add($0) } }
    let refused = Ending.returned(5, [1], .tooManyCalls(limit: Limits.callsPerWire))
    #expect(await right.ending(5, [1]) == refused)
    for _ in 0..<Limits.callsPerWire { try await port.nextReply()!.take()!.send(Message(id: 2)).get() }
    #expect(endings.wait(for: Limits.callsPerWire).allSatisfy { $0 == .reply(2, []) })
    #expect(await right.ending(1, timeout: .zero) == .failed(.timedOut))
  }
}
