import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Asynchronous calls on a port whose owner is killed and which goes on at its keeper.
@Suite struct KeptCallTests {
  /// The port's limit is 2: of five calls two are taken, two lie in the wire, and one waits for room.
  @Test func theTakenOnesEndAndTheOthersAreServed() throws {
    let keeper = try ReceiveRight()
    let owner = try KeptOwner(keptBy: keeper)
    let right = owner.right
    let endings = Endings()
    for id in 1...2 as ClosedRange<Int32> {
      right.right.call(Message(id: id)) { endings.add($0) }
      try owner.order(12)
      check(owner.lines(id == 1 ? 2 : 1).last == "holds")
    }
    for id in 3...5 as ClosedRange<Int32> { right.right.call(Message(id: id)) { endings.add($0) } }
    check(right.right.end.queue.withLock { $0.waiterCount } == 1)
    check(endings.all.isEmpty)
    owner.kill()
    let port = try keeper.nextOrphan()
    check(endings.wait(for: 2) == [.failed(.replyDropped), .failed(.replyDropped)])
    for id in 3...5 as ClosedRange<Int32> {
      var request = try port.receive(timeout: .seconds(5))
      check(request.id == id)
      try request.takeReply()!.send(Message(id: id + 10)).get()
    }
    check(Array(endings.wait(for: 5).dropFirst(2)) == [.reply(13, []), .reply(14, []), .reply(15, [])])
    check(!right.right.end.mayStillBeAnswered)
  }

  @Test func theSameForTasks() async throws {
    let keeper = PortBox(try ReceiveRight())
    let owner = try KeptOwner(keptBy: keeper.port)
    let right = owner.right
    async let taken = right.ending(1)
    try owner.order(12)
    await right.waitForPackets(1)
    await right.waitUntilTaken()
    async let waiting = right.ending(2)
    await right.waitForPackets(2)
    owner.kill()
    let heir = PortBox(try keeper.port.nextOrphan())
    #expect(await taken == .failed(.replyDropped))
    try await heir.nextReply()!.take()!.send(Message(id: 12)).get()
    #expect(await waiting == .reply(12, []))
  }
}

extension RightBox {
  /// Returns when so many packets lie in the wire.
  fileprivate func waitForPackets(_ count: Int) async {
    while right.end.queue.withLock({ $0.ledger.outstanding.count }) < count { await Task.yield() }
  }

  /// Returns when nothing lies in the wire.
  fileprivate func waitUntilTaken() async {
    while (try? right.end.socket.unreadByPeer()) != 0 { await Task.yield() }
  }
}
