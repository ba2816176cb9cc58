import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite struct PacketTests {
  private func packet(_ bytes: [UInt8]) -> PacketBuffer {
    let buffer = PacketBuffer.take(capacity: bytes.count)
    buffer.copy(bytes, to: 0)
    return buffer
  }

  private func send(_ bytes: [UInt8], on socket: borrowing PacketSocket) throws {
    check(try socket.send(packet(bytes), 0..<bytes.count))
  }

  private func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

  private func content(_ buffer: PacketBuffer) -> [UInt8] {
    let span = buffer.bytes(0..<buffer.count)
    return span.indices.map { span[$0] }
  }

  @Test(
    arguments: [1, 4095, PacketBuffer.smallCapacity - 1, PacketBuffer.smallCapacity, PacketBuffer.smallCapacity + 1]
      + [65_536, PacketBuffer.largeCapacity - 1, PacketBuffer.largeCapacity])
  func everySizeArrivesWhole(_ size: Int) throws {
    let pair = try PacketSocket.pair()
    var receiver = PacketReceiver()
    for _ in 0..<2 {
      try send(pattern(size), on: pair.first)
      guard case .packet(let buffer, let list) = try receiver.receive(from: pair.second) else {
        Issue.record("nothing came")
        return
      }
      check(buffer.count == size && list == nil && !receiver.isTruncated)
      check(content(buffer) == pattern(size))
      check((buffer.capacity == PacketBuffer.smallCapacity) == (size <= PacketBuffer.smallCapacity))
    }
  }

  @Test func whatIsLargerThanAnyPacketIsTruncatedAndSaysSo() throws {
    let pair = try PacketSocket.pair()
    var receiver = PacketReceiver()
    try send(pattern(PacketBuffer.largeCapacity + 1), on: pair.first)
    guard case .packet(let buffer, _) = try receiver.receive(from: pair.second) else {
      Issue.record("nothing came")
      return
    }
    check(receiver.isTruncated && buffer.count == PacketBuffer.largeCapacity)
    try send([1], on: pair.first)
    guard case .packet = try receiver.receive(from: pair.second) else {
      Issue.record("the next packet did not come")
      return
    }
    check(!receiver.isTruncated)
  }

  @Test func anEmptyPacketIsNotTheEnd() throws {
    let pair = try PacketSocket.pair()
    try pair.second.enableWitness()
    var receiver = PacketReceiver()
    check(RawSocket.sendNothing(on: pair.first.descriptor.number))
    guard case .packet(let buffer, nil) = try receiver.receive(from: pair.second) else {
      Issue.record("taken for the end")
      return
    }
    check(buffer.count == 0)
    guard case .nothing = try receiver.receive(from: pair.second) else {
      Issue.record("not empty")
      return
    }
    pair.first.shutDown()
    guard case .end = try receiver.receive(from: pair.second) else {
      Issue.record("no end")
      return
    }
  }

  /// Both ends have unread mail when the first closes: that is what makes the kernel say ECONNRESET.
  private func survivorOfAReset() throws -> PacketSocket {
    let pair = try PacketSocket.pair()
    try send([1], on: pair.first)
    try send([2], on: pair.second)
    return PacketSocket(try pair.second.descriptor.duplicate())
  }

  @Test func mailHidesBehindConnectionResetAndIsStillReceived() throws {
    let survivor = try survivorOfAReset()
    var receiver = PacketReceiver()
    guard case .packet(let buffer, _) = try receiver.receive(from: survivor) else {
      Issue.record("the mail was lost")
      return
    }
    check(content(buffer) == [1])
    guard case .end = try receiver.receive(from: survivor) else {
      Issue.record("no end")
      return
    }
    #expect(throws: Errno.brokenPipe) { try survivor.send(PacketBuffer.take(capacity: 1), 0..<1) }
    check(try hasHungUp(of: survivor.descriptor.number))
  }

  @Test func aPacketHasItsSenderAndTheMomentOfItsSending() throws {
    let pair = try PacketSocket.pair()
    try pair.second.enableWitness()
    let before = wallClockNanoseconds()
    try send([1], on: pair.first)
    let after = wallClockNanoseconds()
    var receiver = PacketReceiver()
    _ = try receiver.receive(from: pair.second)
    check(
      receiver.sender == Credentials(processID: ProcessFacts.processID, userID: geteuid(), groupID: getegid()))
    check((before...after).contains(receiver.stampNanoseconds))
    try send([1], on: pair.second)
    _ = try receiver.receive(from: pair.first)
    check(receiver.sender == nil && receiver.stampNanoseconds == 0)
  }

  @Test func aPacketHasUpTo253Descriptors() throws {
    let pair = try PacketSocket.pair()
    try pair.second.enableWitness()
    let counter = try EventCounter()
    let most = [CInt](repeating: counter.descriptor.number, count: 253)
    check(try pair.first.send(head: [1], tail: nil, 0..<0, descriptors: most))
    var receiver = PacketReceiver()
    guard case .packet(_, let list) = try receiver.receive(from: pair.second) else {
      Issue.record("nothing came")
      return
    }
    check(list?.count == 253 && !receiver.lostDescriptors && receiver.sender != nil)
    #expect(throws: Errno(rawValue: EINVAL)) {
      try pair.first.send(head: [1], tail: nil, 0..<0, descriptors: most + [counter.descriptor.number])
    }
  }

  @Test func descriptorsWithoutRoomAreLostAndNothingLeaks() async {
    await #expect(processExitsWith: .success) {
      let pair = try PacketSocket.pair()
      let counter = try EventCounter()
      let filler = try DescriptorFiller(limit: 100, room: 4)
      defer { filler.release(4) }
      let before = openDescriptors()
      for _ in 0..<20 {
        let sent = [CInt](repeating: counter.descriptor.number, count: 10)
        // The limit binds what an ordinary user has in flight as well, and other tests' descriptors count.
        try raiseDescriptorLimit()
        check(try pair.first.send(head: [1], tail: nil, 0..<0, descriptors: sent))
        try setDescriptorLimit(100)
        var receiver = PacketReceiver()
        guard case .packet(_, let list) = try receiver.receive(from: pair.second) else {
          Issue.record("nothing came")
          return
        }
        check(receiver.lostDescriptors && (list?.count ?? 0) < 10)
      }
      checkCensus(before)
    }
  }

  /// Whoever holds a duplicate of a socket can switch this on at any time.
  @Test func descriptorsThatNobodyAskedForAreClosed() async {
    await #expect(processExitsWith: .success) {
      let pair = try PacketSocket.pair()
      try pair.second.enableWitness()
      guard RawSocket.set(.passProcess, on: pair.second.descriptor.number) else {
        print("skipped: this kernel has no SO_PASSPIDFD")
        return
      }
      let before = openDescriptors()
      for _ in 0..<5 {
        check(try pair.first.send(head: [1], tail: nil, 0..<0, descriptors: []))
        var receiver = PacketReceiver()
        guard case .packet(_, nil) = try receiver.receive(from: pair.second) else {
          Issue.record("nothing came")
          return
        }
      }
      checkCensus(before)
    }
  }

  @Test func aFullSocketRefusesWithoutBlocking() throws {
    let pair = try PacketSocket.pair()
    var sent = 0
    while try pair.first.send(packet(pattern(4096)), 0..<4096) { sent += 1 }
    check(sent > 10)
    let number = pair.first.descriptor.number
    check(try !waitForReadiness(of: number, .writable, until: Deadline(after: .zero)))
    try pair.first.setSendBuffer(bytes: 1 << 20)
    try send([1], on: pair.first)
  }

  @Test func onlyConnectedSeqpacketSocketsHaveACookie() throws {
    let pair = try PacketSocket.pair()
    let same = PacketSocket(try pair.first.descriptor.duplicate())
    check(try same.cookie() == pair.first.cookie())
    check(try pair.first.cookie() != pair.second.cookie())
    for number in RawSocket.strangers() {
      let stranger = PacketSocket(Descriptor(owning: number))
      #expect(throws: Errno.self) { try stranger.cookie() }
    }
    let counter = PacketSocket(try EventCounter().descriptor.duplicate())
    #expect(throws: Errno(rawValue: ENOTSOCK)) { try counter.cookie() }
  }

  @Test func misuseEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let pair = try PacketSocket.pair()
      _ = try pair.first.send(PacketBuffer.take(capacity: 1), 0..<0)
    }
    await #expect(processExitsWith: .failure) {
      _ = PacketBuffer.take(capacity: 1).bytes(0..<(PacketBuffer.smallCapacity + 1))
    }
    await #expect(processExitsWith: .failure) {
      let buffer = PacketBuffer.take(capacity: 8)
      _ = buffer.bytes(0..<8).loadLittleEndian(UInt64.self, at: 1)
    }
  }
}
