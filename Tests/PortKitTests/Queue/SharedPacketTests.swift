import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Messages that share packets: those of threads that waited anyway, and batches.
@Suite struct SharedPacketTests {
  /// The port's side of one wire, bare: packets as they come.
  private final class Owner: Sendable {
    let right: SendRight
    private let socket: PacketSocket

    init() throws {
      let pair = try PacketSocket.pair()
      right = SendRight(adopting: PacketSocket(try pair.first.descriptor.duplicate()))
      socket = PacketSocket(try pair.second.descriptor.duplicate())
    }

    func announce(_ limit: UInt64) {
      let frame = FrameHeader(kind: .limit, sequence: limit).encoded()
      check((try? socket.send(head: frame, tail: nil, 0..<0, descriptors: [])) == true)
    }

    /// The ids of the next packet's messages; nil when none comes.
    func packet(within limit: Duration = .seconds(5)) throws -> [Int32]? {
      var receiver = PacketReceiver()
      guard case .packet(let buffer, let descriptors) = receiver.receive(from: socket, until: Deadline(after: limit))
      else { return nil }
      var decoder = PacketDecoder(
        size: buffer.count, descriptorCount: descriptors?.count ?? 0, descriptorsWereLost: false)
      var ids: [Int32] = []
      while let frame = try decoder.next(buffer) { ids.append(frame.header.id) }
      return ids
    }

    /// Threads that wait in this order.
    func senders(_ ids: Range<Int32>, body: Int = 8) -> [WorkerThread] {
      ids.map { id in
        let ahead = right.end.queue.withLock { $0.waiterCount }
        let thread = WorkerThread { [self] in
          let message = Message(id: id, body: [UInt8](repeating: 1, count: body))
          let refusal = error(of: right.send(message, timeout: .seconds(60)))
          check(refusal == nil)
        }
        let deadline = Deadline(after: .seconds(5))
        while right.end.queue.withLock({ $0.waiterCount }) == ahead, !deadline.hasPassed {}
        return thread
      }
    }
  }

  private func expectPacket(of owner: Owner, _ ids: [Int32]) throws {
    let packet = try owner.packet()
    #expect(packet == ids)
  }

  @Test func threadsThatWaitShareAPacketUpToTheLimit() throws {
    let owner = try Owner()
    owner.announce(0)
    let threads = owner.senders(0..<7)
    check(try owner.packet(within: .zero) == nil)
    owner.announce(3)
    try expectPacket(of: owner, [0, 1, 2])
    try expectPacket(of: owner, [3, 4, 5])
    try expectPacket(of: owner, [6])
    for thread in threads { thread.join() }
  }

  @Test func whatSharesAPacketFitsIntoOne() throws {
    let owner = try Owner()
    owner.announce(0)
    let threads = owner.senders(0..<3, body: Limits.inlineBody / 2 + 8000)
    owner.announce(3)
    try expectPacket(of: owner, [0, 1])
    try expectPacket(of: owner, [2])
    for thread in threads { thread.join() }
  }

  /// One with rights leaves alone, and nobody overtakes it.
  @Test func aMessageWithRightsSharesNone() throws {
    let owner = try Owner()
    let target = try ReceiveRight()
    owner.announce(0)
    var threads = owner.senders(0..<2)
    let gift = OnceBox(try target.makeSendOnceRight())
    threads.append(
      WorkerThread {
        var message = Message(id: 2)
        if let right = gift.take() { message.attach(right) }
        let refusal = error(of: owner.right.send(message, timeout: .seconds(60)))
        check(refusal == nil)
      })
    let deadline = Deadline(after: .seconds(5))
    while owner.right.end.queue.withLock({ $0.waiterCount }) < 3, !deadline.hasPassed {}
    threads += owner.senders(3..<5)
    owner.announce(10)
    try expectPacket(of: owner, [0, 1])
    try expectPacket(of: owner, [2])
    try expectPacket(of: owner, [3, 4])
    for thread in threads { thread.join() }
  }

  // MARK: Batches

  private func batch(_ ids: Range<Int32>) -> MessageBatch {
    var batch = MessageBatch()
    for id in ids { batch.append(Message(id: id)) }
    return batch
  }

  @Test func aBatchLeavesInPacketsOfAtMostTheLimit() throws {
    let owner = try Owner()
    owner.announce(4)
    guard case .returned(let rest, let error) = owner.right.send(batch(0..<10), timeout: .zero) else {
      return check(false, "all at once")
    }
    check(error == .timedOut && rest.count == 6)
    try expectPacket(of: owner, [0, 1, 2, 3])
    check(try owner.packet(within: .zero) == nil)
    guard case .returned(let last, _) = owner.right.send(rest, timeout: .zero) else {
      return check(false, "all at once")
    }
    check(last.count == 2)
    try expectPacket(of: owner, [4, 5, 6, 7])
    check(owner.right.post(20, timeout: .zero) == nil)
    try expectPacket(of: owner, [20])
    guard case .sent = owner.right.send(last, timeout: .zero) else { return check(false, "no room") }
    try expectPacket(of: owner, [8, 9])
  }

  @Test func aBatchFillsUpWhatIsFree() throws {
    let owner = try Owner()
    owner.announce(5)
    for id in 0..<3 as Range<Int32> { check(owner.right.post(id, timeout: .zero) == nil) }
    guard case .returned(let rest, .timedOut) = owner.right.send(batch(3..<9), timeout: .zero) else {
      return check(false, "all at once")
    }
    check(rest.count == 4)
    for id in 0..<3 as Range<Int32> { try expectPacket(of: owner, [id]) }
    try expectPacket(of: owner, [3, 4])
  }

  @Test func rightsInABatchKeepTheirPlace() throws {
    let owner = try Owner()
    let target = try ReceiveRight()
    owner.announce(100)
    var all = batch(0..<3)
    var gift = Message(id: 3)
    gift.attach(try target.makeSendOnceRight())
    all.append(gift)
    all.append(Message(id: 4))
    all.append(Message(id: 5))
    guard case .sent = owner.right.send(all, timeout: .zero) else { return check(false, "no room") }
    try expectPacket(of: owner, [0, 1, 2])
    try expectPacket(of: owner, [3])
    try expectPacket(of: owner, [4, 5])
  }

  /// Rights in what was not sent are still there.
  @Test func aBatchThatIsLateComesBackWithItsRights() throws {
    let owner = try Owner()
    let target = try ReceiveRight()
    owner.announce(2)
    var all = batch(0..<2)
    var gift = Message(id: 2)
    gift.attach(try target.makeSendOnceRight())
    all.append(gift)
    let begin = Instant.now
    guard case .returned(let rest, let error) = owner.right.send(all, timeout: .milliseconds(50)) else {
      return check(false, "no limit")
    }
    check(error == .timedOut && rest.count == 1 && Instant.now.nanoseconds - begin.nanoseconds >= 50_000_000)
    check(target.waiting() == nil)
    try expectPacket(of: owner, [0, 1])
    _ = consume rest
    check(target.next()?.notification == .sendOnce)
  }
}
