import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Rights on which a reply may still come are re-made when they move.
@Suite struct UsedRightTests {
  private func cookie(_ right: borrowing SendRight) throws -> UInt64 { try right.end.socket.cookie() }

  @Test func onlyAUsedRightIsReMade() throws {
    let port = try ReceiveRight()
    var right = try port.makeSendRight()
    check(right.post(1) == nil)
    let fresh = try cookie(right)
    right = try moved(right)
    check(try cookie(right) == fresh)
    check(ending(right.call(Message(id: 2), timeout: .zero)) == .timedOut)
    right = try moved(right)
    check(try cookie(right) != fresh)
    // All its replies have come: as good as fresh.
    let box = RightBox(right)
    let service = EchoThread(consume port)
    check(try box.right.call(Message(id: 3), timeout: .seconds(5)).get().id == 4)
    service.stop(box.right)
  }

  /// The late reply, and a right in it, go to nobody.
  @Test func aLateReplyNeverReachesTheNextHolder() throws {
    let port = try ReceiveRight()
    let gift = try ReceiveRight()
    let right = try port.makeSendRight()
    check(ending(right.call(Message(id: 1), timeout: .zero)) == .timedOut)
    var first = try port.receive(timeout: .seconds(5))
    let moved = try moved(right)
    var late = Message(id: 100)
    late.attach(try gift.makeSendOnceRight())
    _ = first.takeReply()!.send(late)
    check(gift.next()?.notification == .sendOnce)
    let endings = Endings()
    moved.call(Message(id: 2), timeout: .seconds(60)) { endings.add($0) }
    var second = try port.receive(timeout: .seconds(5))
    check(second.id == 2)
    try second.takeReply()!.send(Message(id: 200)).get()
    #expect(endings.wait(for: 1) == [.reply(200, [])])
    check(moved.lateReplies == 0)
  }

  // MARK: In asynchronous calls

  /// Uses a right, and takes all its credit for copies.
  private func spend(_ right: borrowing SendRight) throws -> [RightBox] {
    check(ending(right.call(Message(id: 1), timeout: .zero)) == .timedOut)
    var copies: [RightBox] = []
    for _ in 0..<Limits.unadoptedCopies { copies.append(RightBox(try right.copy(timeout: .zero))) }
    return copies
  }

  @Test func anAsynchronousCallWaitsForTheCreditOfARightInIt() throws {
    let owner = try ReceiveRight()
    let service = try ReceiveRight()
    let to = try service.makeSendRight()
    let right = try owner.makeSendRight()
    let copies = try spend(right)
    let endings = Endings()
    var request = Message(id: 2)
    request.attach(right)
    to.call(request, timeout: .seconds(60)) { endings.add($0) }
    // What was begun later leaves later.
    to.call(Message(id: 3), timeout: .seconds(60)) { endings.add($0) }
    check(service.waiting() == nil && endings.all.isEmpty)
    // Its owner takes the copies in.
    check(owner.next() == Received(id: 1))
    check(owner.waiting() == nil)
    var arrived = try service.receive(timeout: .seconds(5))
    check(arrived.id == 2)
    let moved = try arrived.takeSendRight(at: 0)
    check(moved.post(5) == nil && owner.next() == Received(id: 5))
    try arrived.takeReply()!.send(Message(id: 20)).get()
    var next = try service.receive(timeout: .seconds(5))
    check(next.id == 3)
    try next.takeReply()!.send(Message(id: 30)).get()
    #expect(endings.wait(for: 2) == [.reply(20, []), .reply(30, [])])
    _ = consume copies
  }

  @Test func itsDeadlineIsKept() throws {
    let owner = try ReceiveRight()
    let service = try ReceiveRight()
    let to = try service.makeSendRight()
    let right = try owner.makeSendRight()
    let copies = try spend(right)
    let back = Monitor<RightBox?>(nil)
    var request = Message(id: 2)
    request.attach(right)
    let begin = Instant.now
    to.call(request, timeout: .milliseconds(50)) { outcome in
      guard case .returned(var message, .timedOut) = consume outcome else { return back.notifyAll() }
      if let right = try? message.takeSendRight(at: 0) {
        let box = RightBox(right)
        back.withLock { $0 = box }
      }
      back.notifyAll()
    }
    check(back.wait(until: Deadline(after: .seconds(10)), while: { $0 == nil }))
    check(Instant.now.nanoseconds - begin.nanoseconds >= 50_000_000)
    check(back.withLock { $0 }?.right.post(6) == nil)
    // Who comes after it is not held up any more.
    check(to.post(7) == nil && service.next() == Received(id: 7))
    _ = consume copies
  }

  /// Another thread may read the word that brings the credit.
  @Test func creditThatAnotherThreadReadsIsHeardOf() throws {
    let owner = try ReceiveRight()
    let service = try ReceiveRight()
    let to = try service.makeSendRight()
    let right = try owner.makeSendRight()
    let copies = try spend(right)
    let end = right.end
    var request = Message(id: 2)
    request.attach(right)
    to.call(request, timeout: .seconds(60)) { _ in }
    check(service.waiting() == nil)
    end.addCopyCredit(1)
    check(service.next() == Received(id: 2))
    _ = consume copies
  }

  @Test func aRightThatDiesMeanwhileGoesBack() throws {
    let owner = try ReceiveRight()
    let service = try ReceiveRight()
    let to = try service.makeSendRight()
    let right = try owner.makeSendRight()
    let copies = try spend(right)
    let endings = Endings()
    var request = Message(id: 2)
    request.attach(right)
    to.call(request, timeout: .seconds(60)) { endings.add($0) }
    owner.destroyed()
    let all = endings.wait(for: 1)
    // Its late reply can come no more, so it may also have left as it is.
    check(all == [.returned(2, [], .deadName)] || service.waiting() == Received(id: 2), "\(all)")
    _ = consume copies
  }
}
