import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// The process behind a send right is not ours: whatever it sends back, calls end and no descriptor stays.
@Suite struct HostileOwnerTests {
  /// A right whose port is a bare socket.
  private final class Owner: Sendable {
    let right: SendRight
    private let socket: PacketSocket

    init() throws {
      let pair = try PacketSocket.pair()
      right = SendRight(adopting: PacketSocket(try pair.first.descriptor.duplicate()))
      socket = PacketSocket(try pair.second.descriptor.duplicate())
    }

    @discardableResult
    func send(_ bytes: [UInt8], _ descriptors: [CInt] = []) -> Bool {
      (try? socket.send(head: bytes, tail: nil, 0..<0, descriptors: descriptors)) ?? false
    }

    func sendNothing() -> Bool { RawSocket.sendNothing(on: socket.descriptor.number) }

    /// The sequence number of the next call; nil when none came.
    func nextCall() -> UInt64? {
      var receiver = PacketReceiver()
      guard case .packet(let buffer, _) = receiver.receive(from: socket, until: Deadline(after: .seconds(5))) else {
        return nil
      }
      return try? FrameHeader(decoding: buffer.bytes(0..<buffer.count)).sequence
    }

    /// How a call ends to which this is the answer; then the owner is gone.
    func ending(
      within limit: Duration = .seconds(5), _ answer: @escaping @Sendable (Owner, UInt64) -> Void
    ) -> PortError? {
      let thread = WorkerThread { [self] in
        guard let number = nextCall() else { return }
        answer(self, number)
      }
      defer { thread.join() }
      return TestSupport.ending(right.call(Message(id: 1), timeout: limit))
    }
  }

  private static func frame(_ kind: FrameKind, _ number: UInt64, body: Int = 0) -> [UInt8] {
    FrameHeader(kind: kind, bodySize: body, sequence: number).encoded() + [UInt8](repeating: 0, count: body)
  }

  @Test("T14: every kind of frame as the answer to a call", arguments: FrameKind.allCases)
  func everyKind(kind: FrameKind) throws {
    let owner = try Owner()
    let isSilent = [.adopted, .copyCredit, .limit].contains(kind)
    let ending = owner.ending(within: isSilent ? .milliseconds(100) : .seconds(5)) { owner, number in
      owner.send(Self.frame(kind, isSilent ? 7 : number))
    }
    switch kind {
    case .reply: check(ending == nil && !owner.right.isDeadName)
    case .replyDropped, .ownerDied: check(ending == .replyDropped && !owner.right.isDeadName)
    case .adopted, .copyCredit, .limit: check(ending == .timedOut && !owner.right.isDeadName)
    // Its descriptor is missing.
    case .adoptReply, .message, .call, .adopt, .keep: check(ending == .deadName && owner.right.post(1) == .deadName)
    }
  }

  @Test(
    "T14: numbers that no honest owner sends end the wire and nothing else", arguments: [FrameKind.limit, .adopted])
  func limitsBeyondAll(kind: FrameKind) throws {
    let most = UInt64(Limits.largestQueueLimit)
    for (limit, isHonest) in [(most, true), (most + 1, false), (UInt64(Int.max), false), (.max, false)] {
      let owner = try Owner()
      check(owner.send(Self.frame(kind, limit)))
      check(owner.right.post(1) == (isHonest ? nil : .deadName) && owner.right.isDeadName == !isHonest)
      if !isHonest { continue }
      // What is reckoned with the limit: the size of the buffer, and what a right says of itself when it moves.
      let copy = try owner.right.copy()
      let count = owner.right.fill(size: Limits.inlineBody)
      check(count > 0 && owner.right.end.travelState.queueLimit == Limits.largestQueueLimit)
      let port = try ReceiveRight()
      var message = Message(id: 1)
      message.attach(copy)
      try port.makeSendRight().send(message).get()
      check(port.next() == Received(id: 1))
    }
  }

  @Test("T14: credit without end is not believed")
  func creditBeyondAll() throws {
    let owner = try Owner()
    for _ in 0..<3 { check(owner.send(Self.frame(.copyCredit, .max))) }
    check(owner.right.post(1) == nil && owner.right.end.travelState.copyCredit == Limits.unadoptedCopies)
  }

  @Test("T14: every kind of frame before a call, and with descriptors")
  func unasked() async {
    await #expect(processExitsWith: .success) {
      let counter = try EventCounter()
      let before = openDescriptors()
      for kind in FrameKind.allCases {
        for count in 0...2 {
          let owner = try Owner()
          let numbers = [CInt](repeating: counter.descriptor.number, count: count)
          check(owner.send(HostileOwnerTests.frame(kind, 7), numbers))
          let ending = owner.ending { owner, number in owner.send(HostileOwnerTests.frame(.reply, number)) }
          let isHarmless =
            count == 0 && [.reply, .replyDropped, .adopted, .copyCredit, .limit, .ownerDied].contains(kind)
          check(ending == (isHarmless ? nil : .deadName), "\(kind) \(count) \(ending as Any)")
          check(owner.right.isDeadName == !isHarmless)
        }
      }
      checkCensus(before)
    }
  }

  @Test func strangersInPlaceOfAPromotedReply() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      for stranger in RawSocket.strangers() {
        let held = Descriptor(owning: stranger)
        let owner = try Owner()
        let ending = owner.ending { owner, number in
          owner.send(HostileOwnerTests.frame(.adoptReply, number), [stranger])
        }
        check(ending == .deadName && owner.right.post(1) == .deadName)
        _ = consume held
      }
      checkCensus(before)
    }
  }

  /// The reply comes on a wire that this process has no descriptor for: that is not the callee's doing.
  @Test func aReplyThatIsLostToOurOwnShortage() async {
    await #expect(processExitsWith: .success) {
      let owner = try Owner()
      let pair = try PacketSocket.pair()
      check(
        owner.send(
          HostileOwnerTests.frame(.adoptReply, owner.right.end.calls.withLock { $0.nextNumber }),
          [pair.second.descriptor.number]))
      let filler = try DescriptorFiller(limit: 256, room: 0)
      check(TestSupport.ending(owner.right.call(Message(id: 1), timeout: .seconds(5))) == .descriptorShortage)
      filler.release(8)
      check(!owner.right.isDeadName)
    }
  }

  /// The wire that is to bring the reply brings something else.
  @Test func nonsenseOnAPromotedReply() throws {
    for nonsense in [[1], Self.frame(.call, 1), Self.frame(.adopt, 1), Self.frame(.reply, 1)] as [[UInt8]] {
      let owner = try Owner()
      let ending = owner.ending { owner, number in
        guard let pair = try? PacketSocket.pair() else { return }
        owner.send(Self.frame(.adoptReply, number), [pair.second.descriptor.number])
        _ = try? pair.first.send(head: nonsense, tail: nil, 0..<0, descriptors: [])
      }
      check(ending == .replyDropped && !owner.right.isDeadName)
    }
  }

  @Test("T8: empty packets from an owner before and during a call")
  func emptyPackets() throws {
    let before = try Owner()
    check(before.sendNothing())
    check(before.ending { owner, number in owner.send(Self.frame(.reply, number)) } == .deadName)
    let during = try Owner()
    check(during.ending { owner, _ in _ = owner.sendNothing() } == .deadName)
    // After a reply: the next call ends.
    let after = try Owner()
    let first = after.ending { owner, number in
      owner.send(Self.frame(.reply, number))
      _ = owner.sendNothing()
    }
    check(first == nil && after.ending { _, _ in } == .deadName)
  }

  @Test("T8: empty packets from a holder before, during and after its mail")
  func emptyPacketsFromAHolder() throws {
    for mail in 0...2 as ClosedRange<Int32> {
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      for id in 0..<mail { check(right.post(id + 1) == nil) }
      check(RawSocket.sendNothing(on: right.end.socket.descriptor.number))
      _ = right.post(9)
      for id in 0..<mail { check(port.waiting() == Received(id: id + 1)) }
      check(port.waiting() == nil && right.isDeadName && port.faults == [.empty])
    }
  }

  /// Nobody reads while nobody calls: the flood fills the socket and no more; then a call reads past it.
  @Test(arguments: [FrameKind.reply, .replyDropped, .adopted, .copyCredit, .limit])
  func floodsOfReverseFrames(kind: FrameKind) throws {
    let owner = try Owner()
    var count: UInt64 = 0
    while owner.send(Self.frame(kind, count)) { count += 1 }
    check(count > 10)
    let ending = owner.ending { owner, number in
      let deadline = Deadline(after: .seconds(5))
      while !owner.send(Self.frame(.reply, number)), !deadline.hasPassed {}
    }
    check(ending == nil && !owner.right.isDeadName)
  }

  /// A reply of another call, with the number of one that was given up or never made, is dropped; its rights die.
  @Test func repliesToNobody() throws {
    let owner = try Owner()
    let port = try ReceiveRight()
    let ending = owner.ending { owner, number in
      guard let once = try? port.makeSendOnceRight() else { return }
      var table: [UInt8] = []
      RightEntry(kind: .sendOnce, index: 0).append(to: &table)
      let header = FrameHeader(kind: .reply, rights: 1, sequence: number &+ 1).encoded()
      var message = Message(id: 1)
      message.attach(once)
      let packet = try? message.prepare(for: .message, sequence: 0, until: Deadline(after: .zero))
      guard case .withRights(let cargo) = packet else { return }
      owner.send(header + table, cargo.descriptors)
      owner.send(Self.frame(.reply, number))
    }
    check(ending == nil && port.next()?.notification == .sendOnce)
  }

  @Test func randomAnswersAlwaysEndACall() throws {
    var random = seed("HostileOwnerTests")
    for _ in 0..<300 {
      let owner = try Owner()
      var packets: [[UInt8]] = []
      for _ in 0..<random.number(1...4) {
        let kind = FrameKind.allCases.randomElement(using: &random)!
        var bytes = Self.frame(kind, random.number(0...3) == 0 ? random.next() : 0, body: random.number(0...9))
        if random.chance(40) { bytes[random.number(0...bytes.count - 1)] ^= UInt8(1 << random.number(0...7)) }
        packets.append(bytes)
      }
      let sent = packets
      let ending = owner.ending { owner, number in
        for var packet in sent {
          if packet[16...23].allSatisfy({ $0 == 0 }) {
            for place in 0..<8 { packet[16 + place] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(place))) }
          }
          owner.send(packet)
        }
        owner.send(Self.frame(.replyDropped, number))
      }
      check(ending != .timedOut)
    }
  }
}
