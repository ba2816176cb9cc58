import TestSupport
import Testing

@testable import PortKit

/// The cases about names and user references, as far as they can be written down: a right is a value, and each value is
/// one reference. What cannot be written down is in `MisuseTests`.
@Suite struct OwnershipTests {
  @Test("C1: three rights made in the port's own process are three values, and the port counts three")
  func threeRightsOfOnesOwn() throws {
    let port = try ReceiveRight()
    let rights = try (0..<3).map { _ in RightBox(try port.makeSendRight()) }
    check(port.makeSendCount == 3)
    check(try port.status().wireCount == 3)
    for (id, box) in rights.enumerated() { check(box.right.post(Int32(id)) == nil) }
    check((0..<3).allSatisfy { port.next() == Received(id: $0) } && port.waiting() == nil)
    check(port.makeSendCount == 3)
  }

  @Test(
    "C2: of two rights the first may go, with the second the last sender goes; a moved one is where it was moved to")
  func twoReferences() throws {
    let port = try ReceiveRight()
    let way = try ReceiveRight()
    try port.requestNoSendersNotification(sync: 1)
    let first = RightHolder(try port.makeSendRight())
    let second = try first.withRight { RightHolder(try $0.copy()) }!
    first.drop()
    check(port.waiting() == nil)
    check(second.withRight { $0.post(1) } == .some(nil))
    check(port.next() == Received(id: 1))
    second.drop()
    check(port.next()?.notification == .noSenders(makeSendCount: 1))

    var gift = Message(id: 2)
    gift.attach(try port.makeSendRight())
    gift.attach(try port.makeSendRight())
    gift.attach(try port.makeSendOnceRight())
    var received = try pass(gift, through: way)
    for index in 0..<2 {
      check(
        try received.takeSendRight(at: index).post(Int32(index)) == nil && port.next() == Received(id: Int32(index)))
      // It went with the statement: its place is empty, and no other right takes it.
      check(refusal { () throws(PortError) in _ = try received.takeSendRight(at: index) } == .noSuchRight(index: index))
    }
    try received.takeSendOnceRight(at: 2).send(Message(id: 3)).get()
    check(port.next() == Received(id: 3) && port.waiting() == nil && way.waiting() == nil)
  }

  @Test("C5: two send-once rights and a send right to one port are three rights; using one leaves the others alive")
  func sendOnceRightsAreRightsOfTheirOwn() throws {
    let port = try ReceiveRight()
    let way = try ReceiveRight()
    let held = try port.makeSendRight()
    var gift = Message(id: 1)
    gift.attach(try port.makeSendOnceRight())
    gift.attach(try port.makeSendOnceRight())
    var received = try pass(gift, through: way)
    try received.takeSendOnceRight(at: 0).send(Message(id: 2)).get()
    check(port.next() == Received(id: 2) && port.waiting() == nil)
    check(try received.kind(ofRightAt: 1) == .sendOnce && port.status().sendOnceCount == 1)
    check(held.post(3) == nil && port.next() == Received(id: 3))
    try received.takeSendOnceRight(at: 1).send(Message(id: 4)).get()
    check(port.next() == Received(id: 4) && port.waiting() == nil && !held.isDeadName)
  }

  @Test("C6: what is asked of a right of another kind is refused and changes nothing; a dead right may be let go")
  func wrongKinds() throws {
    let port = try ReceiveRight()
    let way = try ReceiveRight()
    var gift = Message(id: 1)
    gift.attach(try port.makeSendRight())
    gift.attach(try port.makeSendOnceRight())
    gift.attach(try ReceiveRight())
    gift.attachNull()
    gift.attachDeadName()
    var received = try pass(gift, through: way)
    let kinds: [RightKind] = [.send, .sendOnce, .receive, .null, .deadName]
    for (index, kind) in kinds.enumerated() {
      let wrong = PortError.wrongKindOfRight(index: index)
      if kind != .send { #expect(throws: wrong) { _ = try received.takeSendRight(at: index) } }
      if kind != .sendOnce { #expect(throws: wrong) { _ = try received.takeSendOnceRight(at: index) } }
      if kind != .receive { #expect(throws: wrong) { _ = try received.takeReceiveRight(at: index) } }
      check(try received.kind(ofRightAt: index) == kind)
    }
    #expect(throws: PortError.noSuchRight(index: 5)) { _ = try received.takeSendRight(at: 5) }
    check(port.waiting() == nil)
    check(try received.takeSendRight(at: 0).post(2) == nil && port.next() == Received(id: 2))
    let dead = try received.takeSendOnceRight(at: 1)
    port.destroyed()
    _ = consume dead
  }

  @Test("C8: a port that goes leaves dead names, its owner's own among them; in a message they arrive as dead")
  func deadNames() throws {
    let holder = PortHolder(try ReceiveRight())
    let way = try ReceiveRight()
    let port = holder.take()!
    let own = try (0..<3).map { _ in RightHolder(try port.makeSendRight()) }
    var gift = Message(id: 1)
    for _ in 0..<2 { gift.attach(try port.makeSendRight()) }
    var others = try pass(gift, through: way)
    port.destroyed()
    for right in own {
      check(right.withRight { $0.isDeadName } == true)
      check(right.withRight { $0.post(2) } == .some(.deadName))
    }
    var forwarded = Message(id: 3)
    for index in 0..<2 {
      let right = try others.takeSendRight(at: index)
      check(right.isDeadName && right.post(2) == .deadName)
      forwarded.attach(right)
    }
    let arrived = try pass(forwarded, through: way)
    check(try arrived.kind(ofRightAt: 0) == .deadName && arrived.kind(ofRightAt: 1) == .deadName)
    for right in own { right.drop() }
    check(way.waiting() == nil)
  }
}
