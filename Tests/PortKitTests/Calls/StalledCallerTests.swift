import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// Replies to callers that do not read, or not yet.
@Suite struct StalledCallerTests {
  /// A caller that never reads: requests as they are, without the library.
  private struct Caller: ~Copyable {
    let right: SendRight
    private var next: UInt64 = 1

    init(_ port: borrowing ReceiveRight) throws { right = try port.makeSendRight() }

    /// The reply right of one more call; nil when the wire is closed.
    mutating func call(_ port: borrowing ReceiveRight) throws -> SendOnceRight? {
      guard right.inject(FrameHeader(kind: .call, sequence: next).encoded()) else { return nil }
      next += 1
      var request = try port.receive(timeout: .seconds(5))
      return request.takeReply()
    }
  }

  private static let large = [UInt8](repeating: 1, count: Limits.inlineBody)

  /// As many as an honest caller may have out: each reply leaves at once, whatever the system's buffers hold.
  @Test func repliesDoNotWaitForTheirCaller() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let port = try ReceiveRight()
        let good = try port.makeSendRight()
        var bad = try Caller(port)
        for _ in 0..<Limits.callsPerWire {
          check(error(of: try bad.call(port)!.send(Message(id: 2, body: Self.large), timeout: .zero)) == nil)
        }
        // There is room for all words that need some.
        for _ in 0..<Limits.callsPerWire { _ = try bad.call(port)! }
        check(!bad.right.isDeadName && port.faults.isEmpty)
        check(good.post(1) == nil && port.next() == Received(id: 1))
      }
      checkCensus(before)
    }
  }

  /// No honest caller has so many unread: this one loses its wire, and with it what it holds of this user's share.
  @Test func aCallerThatNeverReadsLosesItsWireOnly() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let port = try ReceiveRight()
        let good = try port.makeSendRight()
        var bad = try Caller(port)
        var sent = 0
        var refusal: PortError?
        while refusal == nil, sent < 10 * Limits.callsPerWire, let reply = try bad.call(port) {
          refusal = error(of: reply.send(Message(id: 2, body: Self.large), timeout: nil))
          sent += 1
        }
        check(refusal == .deadName && sent > Limits.callsPerWire && sent < 3 * Limits.callsPerWire, "\(sent)")
        check(bad.right.isDeadName && good.post(1) == nil && port.next() == Received(id: 1))
      }
      checkCensus(before)
    }
  }

  /// Nothing of this counts against a caller that reads, however much it asks for in its life.
  @Test func aCallerThatReadsInTheEndKeepsItsWire() throws {
    let port = try ReceiveRight()
    var caller = try Caller(port)
    var receiver = PacketReceiver()
    for round in 1...12 {
      for _ in 0..<(round.isMultiple(of: 3) ? Limits.callsPerWire : 40) {
        check(error(of: try caller.call(port)!.send(Message(id: 2, body: Self.large), timeout: .zero)) == nil)
      }
      while case .packet = try receiver.receive(from: caller.right.end.socket) {}
    }
    check(!caller.right.isDeadName)
  }

  /// The honest caller: all its replies come, from its wire and from others.
  @Test func noReplyIsLostToACallerThatIsLate() throws {
    let port = try ReceiveRight()
    try port.setQueueLimit(Limits.callsPerWire)
    let right = try port.makeSendRight()
    let endings = Endings()
    // As if a thread were about to read.
    check(right.end.calls.withLock { $0.startReading() })
    for id in 0..<Int32(Limits.callsPerWire) {
      right.call(Message(id: id), timeout: .seconds(60)) { endings.add($0) }
    }
    for id in 0..<Int32(Limits.callsPerWire) {
      var request = try port.receive(timeout: .seconds(5))
      var body = Self.large
      body[0] = UInt8(id)
      check(error(of: request.takeReply()!.send(Message(id: request.id, body: body), timeout: .zero)) == nil)
    }
    right.end.calls.withLock { $0.stopReading() }
    right.end.readWaitingReplies()
    let all = endings.wait(for: Limits.callsPerWire)
    for id in 0..<Limits.callsPerWire {
      var body = Self.large
      body[0] = UInt8(id)
      check(all.contains(.reply(Int32(id), body)), "\(id)")
    }
    check(right.lateReplies == 0 && !right.isDeadName)
  }

  /// With rights and ports in them, and to a caller that has given up.
  @Test func repliesWithRightsGetTheirOwnWireAsWell() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let gift = try ReceiveRight()
    for isLate in [false, true] {
      check(right.end.calls.withLock { $0.startReading() })
      let done = Endings()
      let arrived = Monitor<PortHolder?>(nil)
      right.call(Message(id: 1), timeout: isLate ? .zero : .seconds(60)) { outcome in
        if case .reply(var message) = consume outcome, let port = try? message.takeReceiveRight(at: 0) {
          let holder = PortHolder(port)
          arrived.withLock { $0 = holder }
          done.add(.failed(.cancelled))
        } else {
          done.add(.failed(.timedOut))
        }
      }
      var request = try port.receive(timeout: .seconds(5))
      if isLate { _ = done.wait(for: 1) }
      let moved = try ReceiveRight()
      let sender = try moved.makeSendRight()
      var answer = Message(id: 2, body: Self.large)
      answer.attach(moved)
      answer.attach(try gift.makeSendOnceRight())
      let end = try fillReplies(port)
      let refusal = error(of: request.takeReply()!.send(answer, timeout: .zero))
      check(refusal == nil)
      right.end.calls.withLock { $0.stopReading() }
      right.end.readWaitingReplies()
      check(done.wait(for: 1) == [.failed(isLate ? .timedOut : .cancelled)])
      check(gift.next()?.notification == .sendOnce)
      if isLate {
        check(sender.post(1) == .deadName)
      } else {
        check(sender.post(1) == nil && arrived.withLock { $0?.take() }?.next() == Received(id: 1))
      }
      _ = consume end
    }
  }

  /// Leaves no room for a large reply in the only wire of the port.
  private func fillReplies(_ port: borrowing ReceiveRight) throws -> MailboxEnd {
    let end = port.mailbox.state.withLock { state in state.wires[state.wires.keys[0]]!.end }
    let stray = FrameHeader(kind: .reply, bodySize: Limits.inlineBody, sequence: 0).encoded() + Self.large
    while try end.socket.send(head: stray, tail: nil, 0..<0, descriptors: []) {}
    try end.socket.setSendBuffer(bytes: Limits.replySendBuffer)
    end.replies.withLock { $0.hasGrown = true }
    while try end.socket.send(head: stray, tail: nil, 0..<0, descriptors: []) {}
    return end
  }

  /// What is left of the system's largest buffer is for words of the library.
  @Test func repliesLeaveRoomForControlFrames() throws {
    let port = try ReceiveRight()
    var bad = try Caller(port)
    for _ in 0..<Limits.callsPerWire {
      check(error(of: try bad.call(port)!.send(Message(id: 2, body: Self.large), timeout: .zero)) == nil)
    }
    let buffer = try port.mailbox.state.withLock { state in
      try state.wires[state.wires.keys[0]]!.end.socket.sendBuffer()
    }
    let most = PacketCharges.largestSendBuffer()! / 2
    check(buffer <= max(most / 2, Limits.replySendBuffer) && buffer <= most - min(Limits.controlSendBuffer, most / 2))
  }

  @Test func shuttingDownDoesNotWaitForACallerThatDoesNotRead() throws {
    let port = try ReceiveRight()
    let good = RightBox(try port.makeSendRight())
    let bad = try port.makeSendRight()
    let endings = Endings()
    for number in 0..<UInt64(Limits.callsPerWire) {
      check(bad.inject(FrameHeader(kind: .call, sequence: number).encoded()))
    }
    good.right.call(Message(id: 7), timeout: .seconds(60)) { endings.add($0) }
    try port.shutDown(replyTimeout: nil) { request in Message(id: request.id, body: Self.large) }
    #expect(endings.wait(for: 1) == [.reply(7, Self.large)])
  }
}
