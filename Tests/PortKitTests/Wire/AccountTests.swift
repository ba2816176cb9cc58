import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// A client that copies without end harms itself.
@Suite struct AccountTests {
  private let adopt = FrameHeader(kind: .adopt).encoded()

  /// The holder's end of a copy that was made by hand.
  private func copy(of right: borrowing SendRight) throws -> SendRight {
    let pair = try PacketSocket.pair()
    check(right.inject(adopt, descriptors: [pair.second.descriptor.number]))
    return SendRight(adopting: PacketSocket(try pair.first.descriptor.duplicate()))
  }

  /// Nothing is ready: a thread or loop that waits for this port sleeps.
  private func checkSleeps(_ port: borrowing ReceiveRight) {
    check(port.waiting() == nil && !port.hasStagedMail)
    check(try !waitForReadiness(of: port.pollDescriptor, .readable, until: Deadline(after: .zero)))
  }

  @Test func theWireThatBringsTooManyStopsAndNobodyElse() throws {
    let port = try ReceiveRight()
    try port.setCopyLimit(3)
    let neighbour = try port.makeSendRight()
    let right = try port.makeSendRight()
    var copies = try (0..<4).map { _ in RightBox(try copy(of: right)) }
    check(right.post(9) == nil)
    checkSleeps(port)
    check(port.stoppedWires == 1)
    // Copies that were adopted, and everybody else, go on.
    check(copies[0].right.post(1) == nil && neighbour.post(2) == nil)
    check(port.next() == Received(id: 1) && port.next() == Received(id: 2))
    check(copies[3].right.post(4) == nil)
    checkSleeps(port)
    // A copy of the same family dies: the account has a place.
    copies.remove(at: 1)
    check(port.waiting() == Received(id: 9) && port.waiting() == Received(id: 4))
    check(port.stoppedWires == 0 && port.faults.isEmpty)
    checkSleeps(port)
  }

  /// Each copy's copy is charged to the first one's account.
  @Test func copiesOfCopiesCount() throws {
    let port = try ReceiveRight()
    try port.setCopyLimit(2)
    let right = try port.makeSendRight()
    let first = try copy(of: right)
    let second = try copy(of: first)
    let third = try copy(of: second)
    check(third.post(3) == nil && second.post(2) == nil && first.post(1) == nil)
    check(port.waiting() == Received(id: 1) && port.waiting() == nil)
    check(port.stoppedWires == 1)
    try port.setCopyLimit(3)
    check(port.waiting() == Received(id: 3) && port.waiting() == Received(id: 2) && port.waiting() == nil)
  }

  @Test func aDeadFamilyIsDrainedAndNoSendersComes() throws {
    let port = try ReceiveRight()
    try port.setCopyLimit(2)
    try port.requestNoSendersNotification(sync: 1)
    var late: SendRight?
    do {
      let right = try port.makeSendRight()
      let copies = try (0..<2).map { _ in RightBox(try copy(of: right)) }
      let excess = try (0..<3).map { _ in RightBox(try copy(of: copies[1].right)) }
      late = try copy(of: copies[1].right)
      _ = try copy(of: right)
      check(copies[1].right.post(1) == nil && right.post(2) == nil)
      checkSleeps(port)
      check(port.stoppedWires == 2)
      _ = consume excess
    }
    var seen: [Received] = []
    while let next = port.next() {
      seen.append(next)
      if next.notification != nil { break }
      // The copy that got the place of one that died is a sender as well.
      if seen.count == 2 { late = nil }
    }
    check(Set(seen.map(\.id)) == [1, 2, 70], "\(seen)")
    check(seen.last?.notification == .noSenders(makeSendCount: 1) && port.stoppedWires == 0)
    check(late.take() == nil)
  }

  /// What a dead holder brought above its share is refused, so that its wire comes to its end.
  @Test func copiesThatADeadHolderLeftAboveItsShareAreDeadNames() throws {
    let port = try ReceiveRight()
    try port.setCopyLimit(1)
    var kept: [RightBox] = []
    do {
      let right = try port.makeSendRight()
      for _ in 0..<4 { kept.append(RightBox(try copy(of: right))) }
      check(right.post(1) == nil)
    }
    check(port.waiting() == Received(id: 1))
    check(kept.map { $0.right.isDeadName } == [false, true, true, true])
    check(kept[0].right.post(2) == nil && port.waiting() == Received(id: 2) && port.faults.isEmpty)
  }

  /// The death of a stopped wire's holder is heard of, though nothing is read from it.
  @Test func aStoppedWireWhoseHolderDiesComesToItsEnd() throws {
    let port = try ReceiveRight()
    try port.setCopyLimit(1)
    let box = RightBox(try port.makeSendRight())
    let first = try copy(of: box.right)
    let second = try copy(of: box.right)
    checkSleeps(port)
    check(port.stoppedWires == 1 && !second.isDeadName)
    box.right.end.socket.shutDown()
    checkSleeps(port)
    check(port.stoppedWires == 0 && second.isDeadName)
    check(first.post(1) == nil && port.waiting() == Received(id: 1))
  }

  /// What a stopped wire has in hand is mail as any other. The limit travels: it stops again until there is room.
  @Test func aStoppedWireMovesWithItsPort() throws {
    let port = try ReceiveRight()
    try port.setCopyLimit(1)
    let right = try port.makeSendRight()
    let first = try copy(of: right)
    let second = try copy(of: right)
    check(second.post(2) == nil && right.post(3) == nil)
    checkSleeps(port)
    check(port.stoppedWires == 1)
    let carrier = try ReceiveRight()
    let way = try carrier.makeSendRight()
    var message = Message(id: 1)
    message.attach(port)
    try way.send(message).get()
    var received = try carrier.receive(timeout: .seconds(5))
    let moved = try received.takeReceiveRight(at: 0)
    check(try words(on: right).contains(FrameHeader(kind: .copyCredit, sequence: 1)))
    check(moved.copyLimit == 1)
    check(moved.waiting() == nil && moved.stoppedWires == 1)
    try moved.setCopyLimit(2)
    var seen: Set<Int32> = []
    while let next = moved.waiting() { seen.insert(next.id) }
    check(seen == [2, 3] && moved.stoppedWires == 0 && moved.faults.isEmpty)
    check(first.post(4) == nil && moved.next() == Received(id: 4))
    check(second.post(5) == nil && moved.next() == Received(id: 5))
  }

  @Test func aLimitBelowNoneIsRefused() throws {
    let port = try ReceiveRight()
    #expect(throws: PortError.invalidCopyLimit(-1)) { try port.setCopyLimit(-1) }
    check(port.copyLimit == Limits.copiesPerRight)
    try port.setCopyLimit(.max)
    check(port.copyLimit == .max)
  }

  @Test func aHigherLimitWakesAThreadThatWaits() throws {
    let box = PortBox(try ReceiveRight())
    try box.port.setCopyLimit(0)
    let right = try box.port.makeSendRight()
    let second = try copy(of: right)
    check(second.post(5) == nil)
    check(box.port.waiting() == nil && box.port.stoppedWires == 1)
    let thread = WorkerThread { check(box.port.next() == Received(id: 5)) }
    let deadline = Deadline(after: .seconds(5))
    while !box.port.mailbox.isBeingPolled, !deadline.hasPassed {}
    try box.port.setCopyLimit(1)
    thread.join()
    check(box.port.copyLimit == 1)
  }

  @Test func thoseWhoAreIntroducedPayForThemselves() throws {
    let port = try ReceiveRight()
    try port.setCopyLimit(1)
    let server = try port.makeIntroducingSendRight()
    let clients = try (0..<20).map { _ in
      let client = RightBox(try copy(of: server))
      check(port.waiting() == nil)
      return client
    }
    for client in clients {
      let own = try copy(of: client.right)
      check(own.post(1) == nil && port.waiting() == Received(id: 1))
    }
    check(port.stoppedWires == 0 && port.faults.isEmpty && port.makeSendCount == 1)
  }

  // MARK: Credit

  private func words(on right: borrowing SendRight) throws -> [FrameHeader] {
    var receiver = PacketReceiver()
    var words: [FrameHeader] = []
    while case .packet(let buffer, _) = try receiver.receive(from: right.end.socket) {
      words.append(try FrameHeader(decoding: buffer.bytes(0..<buffer.count)))
    }
    return words
  }

  @Test func theOwnerGivesCreditBack() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    for round in 1...12 {
      _ = try copy(of: right)
      check(port.waiting() == nil)
      let isDue = round % Limits.creditBatch == 0
      let expected = FrameHeader(kind: .copyCredit, sequence: UInt64(Limits.creditBatch))
      check(try words(on: right) == (isDue ? [expected] : []))
    }
    // A call reads past such words.
    for _ in 0..<4 { _ = try copy(of: right) }
    let service = EchoThread(consume port)
    check(bytes(of: try right.call(Message(id: 1, body: [7]), timeout: .seconds(5)).get()) == [7])
    service.stop(right)
  }

  @Test func aPacketWithMoreCopiesThanCreditIsAFault() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let ends = try (0..<9).map { _ in try PacketSocket.pair().second.descriptor.duplicate().relinquish() }
    defer { for end in ends { _ = Descriptor(owning: end) } }
    let packet = [UInt8]((0..<9).map { _ in adopt }.joined())
    check(right.inject(packet, descriptors: ends))
    check(port.waiting() == nil && right.isDeadName && port.faults == [.copiesOverCredit(9)])
    let honest = try port.makeSendRight()
    check(honest.inject([UInt8](packet.prefix(8 * adopt.count)), descriptors: Array(ends.prefix(8))))
    check(port.waiting() == nil && !honest.isDeadName && port.faults.count == 1)
  }

  /// The words for it would lie in its wire for ever.
  @Test func aHolderThatCopiesAndNeverReadsItsCreditLosesItsWire() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    var rounds = 0
    while rounds < 100_000, !right.isDeadName {
      let pair = try PacketSocket.pair()
      guard right.inject(adopt, descriptors: [pair.second.descriptor.number]) else { break }
      rounds += 1
      check(port.waiting() == nil)
    }
    check(right.isDeadName && port.faults == [.copiesOverCredit(1)], "\(port.faults)")
    check(rounds > Limits.unadoptedCopies)
  }

  // MARK: Floods

  /// What one look at the port does for itself is bounded: others have their turn, and deadlines hold.
  @Test func oneLookDealsWithSoManyFramesOfTheLibrary() throws {
    let port = try ReceiveRight()
    try port.setCopyLimit(1000)
    let right = try port.makeSendRight()
    try right.reserveSendBuffer(bytes: 2 << 20)
    let count = 8 * Limits.framesPerLook
    for _ in 0..<count { _ = try copy(of: right) }
    check(right.post(1) == nil)
    #expect(throws: PortError.timedOut) { _ = try port.receive(timeout: .nanoseconds(1)) }
    check(port.waiting() == nil)
    let isReadable = try waitForReadiness(of: port.pollDescriptor, .readable, until: Deadline(after: .zero))
    check(port.hasStagedMail || isReadable, "the next look goes on")
    check(port.next() == Received(id: 1))
  }

  @Test(.timeLimit(.minutes(1))) func aDeadlineHoldsUnderAFloodWithoutEnd() throws {
    let box = PortBox(try ReceiveRight())
    let right = RightBox(try box.port.makeIntroducingSendRight())
    let goOn = Monitor(true)
    let flood = WorkerThread {
      let receiver = Monitor<PacketReceiver?>(PacketReceiver())
      while goOn.withLock({ $0 }) {
        guard let pair = try? PacketSocket.pair() else { continue }
        _ = right.right.inject(FrameHeader(kind: .adopt).encoded(), descriptors: [pair.second.descriptor.number])
        receiver.withLock { _ = try? $0?.receive(from: right.right.end.socket) }
      }
    }
    for _ in 0..<5 {
      #expect(throws: PortError.timedOut) { _ = try box.port.receive(timeout: .milliseconds(20)) }
    }
    check(goOn.withLock { $0 } && !right.right.isDeadName)
    let neighbour = try box.port.makeSendRight()
    check(neighbour.post(3) == nil && box.port.next() == Received(id: 3))
    goOn.withLock { $0 = false }
    flood.join()
  }
}
