import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// What no holder with this package would send. It ends that wire and nothing else.
@Suite struct HostileWireTests {
  private func expectTheEndOfOneWire(_ fault: FrameError, _ attack: (borrowing SendRight) -> Bool) throws {
    let port = try ReceiveRight()
    let good = try port.makeSendRight()
    let bad = try port.makeSendRight()
    check(good.post(1) == nil)
    check(bad.post(2) == nil)
    check(attack(bad))
    check(good.post(3) == nil)
    for id in 1...3 as ClosedRange<Int32> { check(port.next() == Received(id: id)) }
    check(port.waiting() == nil && bad.isDeadName && bad.post(4) == .deadName)
    check(port.faults == [fault])
    check(good.post(5) == nil && port.next() == Received(id: 5))
  }

  @Test func brokenFrames() throws {
    let frame = FrameHeader(kind: .message, id: 9).encoded()
    try expectTheEndOfOneWire(.shortFrame(bytes: 4)) { $0.inject([1, 1, 0, 0]) }
    try expectTheEndOfOneWire(.unknownVersion(9)) { $0.inject([9] + frame.dropFirst()) }
    try expectTheEndOfOneWire(.empty) { RawSocket.sendNothing(on: $0.end.socket.descriptor.number) }
    try expectTheEndOfOneWire(.truncated) { $0.inject([UInt8](repeating: 1, count: PacketBuffer.largeCapacity + 1)) }
    let counter = try EventCounter()
    try expectTheEndOfOneWire(.descriptorCount(announced: 0, arrived: 1)) {
      $0.inject(frame, descriptors: [counter.descriptor.number])
    }
  }

  /// The first frame of a packet whose second one is broken is not delivered.
  @Test func aPacketIsGoodAsAWhole() throws {
    let frame = FrameHeader(kind: .message, id: 9).encoded()
    try expectTheEndOfOneWire(.shortFrame(bytes: 1)) { $0.inject(frame + [1]) }
  }

  @Test func framesThatOnlyAnOwnerSends() throws {
    for kind in [FrameKind.reply, .replyDropped, .adopted, .copyCredit, .limit] {
      try expectTheEndOfOneWire(.unexpected("frame kind \(kind)")) { $0.inject(FrameHeader(kind: kind).encoded()) }
    }
  }

  @Test func severalFramesInOnePacketAreSeveralMessages() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let frames = (1...3 as ClosedRange<Int32>).flatMap { FrameHeader(kind: .message, id: $0).encoded() }
    check(right.inject(frames))
    check(right.post(4) == nil)
    for id in 1...4 as ClosedRange<Int32> { check(port.next() == Received(id: id)) }
  }

  private func frames(_ count: Int) -> [UInt8] {
    [UInt8](repeatElement(FrameHeader(kind: .message, id: 9).encoded(), count: count).joined())
  }

  /// No honest holder puts more messages into a packet than may wait.
  @Test func aPacketOfMoreMessagesThanTheLimit() throws {
    let frames = frames(Limits.queueLimit + 1)
    try expectTheEndOfOneWire(.messagesOverLimit(Limits.queueLimit)) { $0.inject(frames) }
    let flood = self.frames(2000)
    try expectTheEndOfOneWire(.messagesOverLimit(Limits.queueLimit)) { right in
      (try? right.reserveSendBuffer(bytes: 4 << 20)) != nil && right.inject(flood)
    }
  }

  /// What was sent by a higher limit is good when that is lowered, also after the port moved.
  @Test func aPacketUnderAnEarlierLimit() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let bad = try port.makeSendRight()
    try port.setQueueLimit(20)
    check(right.inject(frames(20)))
    try port.setQueueLimit(2)
    for _ in 0..<20 { check(port.next() == Received(id: 9)) }
    check(right.inject(frames(20)))
    let carrier = try ReceiveRight()
    var message = Message(id: 1)
    message.attach(port)
    try carrier.makeSendRight().send(message).get()
    var received = try carrier.receive(timeout: .seconds(5))
    let moved = try received.takeReceiveRight(at: 0)
    check(bad.inject(frames(21)))
    for _ in 0..<20 { check(moved.next() == Received(id: 9)) }
    check(moved.waiting() == nil && moved.faults == [.messagesOverLimit(20)] && bad.isDeadName && !right.isDeadName)
  }

  /// The holder of a fresh right knows the usual limit until it is told another one.
  @Test func aPacketUnderTheUsualLimit() throws {
    let port = try ReceiveRight()
    try port.setQueueLimit(0)
    let right = try port.makeSendRight()
    check(right.inject(frames(Limits.queueLimit)))
    for _ in 0..<Limits.queueLimit { check(port.next() == Received(id: 9)) }
    check(port.faults.isEmpty)
  }

  @Test func aMailboxThatSpeaksNonsenseIsADeadName() throws {
    for bytes in [[UInt8](repeating: 0xff, count: 40), FrameHeader(kind: .message).encoded()] {
      let pair = try PacketSocket.pair()
      let right = SendRight(adopting: PacketSocket(try pair.first.descriptor.duplicate()))
      check(try pair.second.send(head: bytes, tail: nil, 0..<0, descriptors: []))
      check(ending(right.call(Message(id: 1), timeout: .seconds(5))) == .deadName)
      check(right.post(1) == .deadName)
    }
  }

  @Test func aSmallSendBufferIsAnErrorAndNotASpin() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    RawSocket.shrinkSendBuffer(of: right.end.socket.descriptor.number)
    let refusal = error(of: right.send(Message(id: 1, body: [UInt8](repeating: 0, count: 60_000)), timeout: .zero))
    check(refusal != nil && refusal != .deadName)
    check(right.post(2, timeout: .zero) == nil && port.next() == Received(id: 2))
  }

  @Test func randomPacketsNeverEndMoreThanTheirWire() throws {
    var random = seed("HostileWireTests")
    let port = try ReceiveRight()
    let good = try port.makeSendRight()
    for round in 0..<400 as Range<Int32> {
      let bad = try port.makeSendRight()
      var header = FrameHeader(kind: FrameKind.allCases.randomElement(using: &random)!, bodySize: random.number(0...20))
        .encoded()
      header += random.bytes(random.number(0...20))
      if random.chance(70) { header[random.number(0...header.count - 1)] ^= UInt8(1 << random.number(0...7)) }
      let counter = try EventCounter()
      _ = bad.inject(header, descriptors: random.chance(30) ? [counter.descriptor.number] : [])
      check(good.post(round + 1_000_000) == nil)
      var seen: [Int32] = []
      while let next = port.waiting() { seen.append(next.id) }
      check(seen.filter { $0 == round + 1_000_000 }.count == 1)
    }
  }
}
