import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Who made a wire and gave it away may have kept a duplicate of an end, and can change what belongs to the open
/// socket. Only that wire is harmed.
@Suite struct MeddlingTests {
  private let adopt = FrameHeader(kind: .adopt).encoded()

  /// A duplicate of the mailbox's end, changed before and after it was adopted, with mail in it and without.
  @Test(arguments: RawSocket.Meddling.allCases, [0, 1, 2, 3])
  func theMailboxEnd(meddling: RawSocket.Meddling, moment: Int) throws {
    let port = try ReceiveRight()
    let good = try port.makeSendRight()
    let right = try port.makeSendRight()
    let pair = try PacketSocket.pair()
    let kept = pair.second.descriptor.number
    let copy = SendRight(adopting: PacketSocket(try pair.first.descriptor.duplicate()))
    if moment == 0 { meddling.apply(to: kept) }
    check(right.inject(adopt, descriptors: [kept]))
    if moment == 1 { meddling.apply(to: kept) }
    check(port.waiting() == nil)
    if moment == 2 { meddling.apply(to: kept) }
    for id in 1...3 as ClosedRange<Int32> { _ = copy.post(id, timeout: .zero) }
    if moment == 3 { meddling.apply(to: kept) }
    // Nobody else notices, and the port comes to rest.
    check(good.post(10) == nil && right.post(11) == nil)
    var seen: [Int32] = []
    while let next = port.waiting() { seen.append(next.id) }
    check(seen.filter { $0 >= 10 } == [10, 11], "\(seen)")
    check(seen.filter { $0 < 10 } == Array([1, 2, 3].prefix(seen.count - 2)), "\(seen)")
    check(try !waitForReadiness(of: port.pollDescriptor, .readable, until: Deadline(after: .zero)))
    // The request of a call through the wire ends, whether it arrives or not.
    let service = EchoThread(consume port)
    _ = copy.call(Message(id: 1), timeout: .milliseconds(20))
    check(bytes(of: try good.call(Message(id: 1, body: [7]), timeout: .seconds(5)).get()) == [7])
    service.stop(good)
    _ = consume pair
  }

  /// A duplicate of the holder's end.
  @Test(arguments: RawSocket.Meddling.allCases) func theHoldersEnd(meddling: RawSocket.Meddling) throws {
    let port = try ReceiveRight()
    let good = try port.makeSendRight()
    let right = try port.makeSendRight()
    check(right.post(1) == nil)
    meddling.apply(to: right.end.socket.descriptor.number)
    _ = right.post(2, timeout: .zero)
    check(good.post(3) == nil)
    let seen = [port.next()?.id, port.next()?.id, port.waiting()?.id].compactMap(\.self)
    check(seen == [1, 2, 3] || seen == [1, 3], "\(seen)")
    let service = EchoThread(consume port)
    _ = right.call(Message(id: 1), timeout: .milliseconds(20))
    check(bytes(of: try good.call(Message(id: 1, body: [7]), timeout: .seconds(5)).get()) == [7])
    service.stop(good)
  }

  @Test func aWireWithoutTheKernelsStampIsClosed() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let pair = try PacketSocket.pair()
    check(right.inject(adopt, descriptors: [pair.second.descriptor.number]))
    check(port.waiting() == nil)
    RawSocket.Meddling.noStamps.apply(to: pair.second.descriptor.number)
    let copy = SendRight(adopting: PacketSocket(try pair.first.descriptor.duplicate()))
    check(copy.post(1) == nil && port.waiting() == nil && copy.isDeadName && !right.isDeadName)
    check(port.faults == [.unwitnessed])
  }

  /// Somebody reads from his duplicate of the mailbox's end: that mail is his, the rest arrives.
  @Test func aThiefOfMail() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let pair = try PacketSocket.pair()
    check(right.inject(adopt, descriptors: [pair.second.descriptor.number]))
    let copy = SendRight(adopting: PacketSocket(try pair.first.descriptor.duplicate()))
    check(port.waiting() == nil)
    for id in 1...3 as ClosedRange<Int32> { check(copy.post(id) == nil) }
    var thief = PacketReceiver()
    for _ in 0..<2 { _ = try thief.receive(from: pair.second) }
    check(port.waiting() == Received(id: 3) && port.waiting() == nil)
    check(!copy.isDeadName && port.faults.isEmpty)
  }

  /// A right that its port's own mail holds keeps no wire alive once the mail is gone.
  @Test func aWiresOwnEndsSentToItself() throws {
    let port = try ReceiveRight()
    try port.requestNoSendersNotification(sync: 1)
    do {
      let right = try port.makeSendRight()
      var table: [UInt8] = []
      RightEntry(kind: .send, index: 0).append(to: &table)
      let header = FrameHeader(kind: .message, id: 1, rights: 1).encoded()
      check(right.inject(header + table, descriptors: [right.end.socket.descriptor.number]))
    }
    check(port.next() == Received(id: 1))
    check(port.next()?.notification == .noSenders(makeSendCount: 1))
    let other = try ReceiveRight()
    let pair = try PacketSocket.pair()
    let right = try other.makeSendRight()
    check(right.inject(adopt, descriptors: [pair.second.descriptor.number]))
    let copy = SendRight(adopting: PacketSocket(try pair.first.descriptor.duplicate()))
    // The mailbox's end comes down the very wire that it is.
    check(copy.inject(adopt, descriptors: [pair.second.descriptor.number]))
    check(other.waiting() == nil && copy.isDeadName && !right.isDeadName)
    check(other.faults == [.unexpected("a wire that is here already")])
  }

  /// A cycle that only its own mail holds: nobody else can read it, and the kernel takes it back.
  @Test func aCycleOfWiresInFlightIsReaped() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      for _ in 0..<100 {
        let pair = try PacketSocket.pair()
        let ends = [pair.first.descriptor.number, pair.second.descriptor.number]
        check(
          try pair.first.send(
            head: FrameHeader(kind: .adopt).encoded(), tail: nil, 0..<0, descriptors: ends))
        check(
          try pair.second.send(
            head: FrameHeader(kind: .adopt).encoded(), tail: nil, 0..<0, descriptors: ends))
      }
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      for _ in 0..<100 {
        _ = try right.copy()
        check(port.waiting() == nil)
      }
      check(right.post(1) == nil && port.waiting() == Received(id: 1))
      _ = consume right
      _ = consume port
      checkCensus(before)
    }
  }
}
