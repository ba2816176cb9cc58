import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Copies of rights, and what a foreign program may try in their name.
@Suite struct CopyTests {
  @Test func aCopyIsARightOfItsOwn() throws {
    let port = try ReceiveRight()
    let copy: SendRight = try copyOfCopy(of: try port.makeSendRight())
    check(copy.post(1) == nil)
    check(port.next() == Received(id: 1))
    check(port.makeSendCount == 1)
  }

  private func copyOfCopy(of right: consuming SendRight) throws -> SendRight {
    let first = try right.copy()
    return try first.copy()
  }

  /// The owner does nothing; the order across original and copies holds.
  @Test func copiesWorkWhileTheOwnerIsBusy() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    check(right.post(1) == nil)
    let copy = try right.copy()
    check(copy.post(2) == nil)
    let second = try copy.copy()
    check(second.post(3) == nil)
    check(right.post(4) == nil && copy.post(5) == nil)
    for id in 1...5 as ClosedRange<Int32> { check(port.next() == Received(id: id)) }
  }

  @Test func aCopyIsMadeThroughAWireFullOfMailAgainAndAgain() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let mail = right.fill()
    for round in 1...4 as ClosedRange<Int32> {
      let copy = try right.copy()
      check(copy.post(round) == nil)
      check(right.fill() == 0, "the room for control frames is not for mail")
    }
    var seen: [Int32] = []
    while let next = port.waiting() { seen.append(next.id) }
    check(seen.filter { $0 == 7 }.count == mail)
    check(seen.filter { $0 != 7 } == [1, 2, 3, 4])
  }

  @Test func aDeadNameHasNoCopies() throws {
    let right = try deadRight()
    #expect(throws: PortError.deadName) { _ = try right.copy() }
  }

  @Test func aCopyIsAlsoForCalls() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let copy = try right.copy()
    let service = EchoThread(consume port)
    for value in UInt8(0)..<3 {
      check(bytes(of: try copy.call(Message(id: 1, body: [value]), timeout: .seconds(5)).get()) == [value])
    }
    service.stop(right)
  }

  // MARK: Adoption by hand

  private let adopt = FrameHeader(kind: .adopt).encoded()

  @Test func whatIsNoWireIsNotAdopted() throws {
    let directory = try TemporaryDirectory(prefix: "adoption")
    defer { directory.remove() }
    let listener = try NamedSocket.listen(at: directory.path + "/socket").relinquish()
    for number in RawSocket.strangers() + [listener, try EventCounter().descriptor.duplicate().relinquish()] {
      let stranger = Descriptor(owning: number)
      let port = try ReceiveRight()
      let good = try port.makeSendRight()
      let bad = try port.makeSendRight()
      check(bad.inject(adopt, descriptors: [stranger.number]))
      check(port.waiting() == nil && bad.isDeadName)
      check(good.post(1) == nil && port.next() == Received(id: 1))
      check(port.faults.count == 1)
    }
  }

  @Test func aSocketIsAdoptedOnce() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let pair = try PacketSocket.pair()
    let end = pair.second.descriptor.number
    check(right.inject(adopt, descriptors: [end]))
    check(port.waiting() == nil && !right.isDeadName && port.faults.isEmpty)
    check(right.inject(adopt, descriptors: [end]))
    check(port.waiting() == nil && right.isDeadName)
    check(port.faults == [.unexpected("a wire that is here already")])
  }

  /// Such a wire would never end, and the port never be without senders.
  @Test(arguments: [false, true]) func bothEndsOfOnePairAreNotAdopted(inOtherPort: Bool) throws {
    let port = try ReceiveRight()
    let other = try ReceiveRight()
    do {
      let right = try port.makeSendRight()
      let second = try other.makeSendRight()
      let pair = try PacketSocket.pair()
      check(right.inject(adopt, descriptors: [pair.first.descriptor.number]))
      let number = pair.second.descriptor.number
      check(inOtherPort ? second.inject(adopt, descriptors: [number]) : right.inject(adopt, descriptors: [number]))
    }
    try port.requestNoSendersNotification(sync: 1)
    try other.requestNoSendersNotification(sync: 1)
    // Each port sees the other's word first, then the end.
    for _ in 0..<3 where port.hasStagedMail == false { _ = other.hasStagedMail }
    var seen: [Received] = []
    for _ in 0..<4 {
      if let next = port.waiting() { seen.append(next) }
      if let next = other.waiting() { seen.append(next) }
    }
    check(seen.compactMap(\.notification) == [.noSenders(makeSendCount: 1), .noSenders(makeSendCount: 1)])
    check(!(port.faults + other.faults).isEmpty)
  }

  @Test func theHoldersEndOfAWireIsNotAdopted() throws {
    let port = try ReceiveRight()
    do {
      let right = try port.makeSendRight()
      let copy = try right.copy()
      check(port.waiting() == nil)
      check(right.inject(adopt, descriptors: [copy.end.socket.descriptor.number]))
    }
    try port.requestNoSendersNotification(sync: 1)
    check(port.next()?.notification == .noSenders(makeSendCount: 1))
  }

  @Test func aPortOfOneClientTakesNoFurtherWires() throws {
    let pair = try PacketSocket.pair()
    let port = try ReceiveRight(adopting: PacketSocket(try pair.second.descriptor.duplicate()))
    let right = SendRight(adopting: PacketSocket(try pair.first.descriptor.duplicate()))
    check(right.post(1) == nil && port.next() == Received(id: 1))
    _ = try right.copy()
    check(port.waiting() == nil && right.isDeadName)
    check(port.faults == [.unexpected("frame kind adopt")])
  }

  @Test func aSendOnceWireCarriesOneMessageAndNothingElse() throws {
    for kind in [FrameKind.call, .adopt, .reply] {
      let port = try ReceiveRight()
      let once = RawOnce(try port.mailbox.makeWire(isSendOnce: true))
      check(once.inject(FrameHeader(kind: kind).encoded(), kind == .adopt ? [once.socket.descriptor.number] : []))
      check(port.waiting()?.notification == .sendOnce)
      check(port.waiting() == nil && port.faults.count == 1)
    }
    let port = try ReceiveRight()
    let once = RawOnce(try port.mailbox.makeWire(isSendOnce: true))
    check(once.inject(FrameHeader(kind: .message, id: 1).encoded(), []))
    check(once.inject(FrameHeader(kind: .message, id: 2).encoded(), []))
    check(port.waiting() == Received(id: 1))
    check(port.waiting() == nil)
  }

  private final class RawOnce {
    let socket: PacketSocket
    init(_ socket: consuming PacketSocket) { self.socket = socket }
    func inject(_ bytes: [UInt8], _ descriptors: [CInt]) -> Bool {
      (try? socket.send(head: bytes, tail: nil, 0..<0, descriptors: descriptors)) ?? false
    }
  }
}
