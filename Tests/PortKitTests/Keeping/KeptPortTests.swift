import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// Owner and keeper in one process, where descriptors can be counted.
@Suite struct KeptPortTests {
  /// A port that is kept, and its keeper, which knows of it.
  private func keep(_ port: borrowing ReceiveRight, in keeper: borrowing ReceiveRight) throws {
    try port.requestPortDestroyedNotification(to: try keeper.makeKeepingSendRight())
    check(keeper.waiting() == nil && keeper.keptPorts == 1 && port.isKept)
  }

  @Test func everythingComesAlongAndNothingStays() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let tests = KeptPortTests()
        let keeper = try ReceiveRight()
        let port = try ReceiveRight()
        try port.setQueueLimit(9)
        try port.setCopyLimit(3)
        let right = try port.makeIntroducingSendRight()
        check(right.post(1) == nil && right.post(2) == nil)
        // One is in the owner's hand when the keeping begins.
        let other = try port.makeSendRight()
        check(other.post(3) == nil)
        check(port.next()?.id == 1)
        try tests.keep(port, in: keeper)
        var message = Message(id: 4)
        message.attach(try keeper.makeSendRight())
        try right.send(message).get()
        drop(port)
        let heir = try keeper.nextOrphan()
        check(heir.queueLimit == 9 && heir.copyLimit == 3 && heir.makeSendCount == 0)
        check(heir.next()?.id == 2)
        check(heir.next()?.id == 3)
        var last = try heir.receive(timeout: .seconds(5))
        check(try last.id == 4 && last.takeSendRight(at: 0).post(5) == nil && keeper.next()?.id == 5)
        let copies = try (0..<6).map { _ in RightBox(try right.copy()) }
        check(copies.allSatisfy { $0.right.post(6) == nil } && heir.drain().count == 6 && heir.stoppedWires == 0)
        check(heir.faults.isEmpty && keeper.faults.isEmpty)
      }
      checkCensus(before)
    }
  }

  @Test func anOrdinaryRightKeepsNothing() throws {
    let keeper = try ReceiveRight()
    let ordinary = try keeper.makeSendRight()
    let copy = try keeper.makeKeepingSendRight().copy()
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    for keeping in [RightBox(ordinary), RightBox(copy)] {
      try port.requestPortDestroyedNotification(to: keeping.right)
      check(keeper.waiting() == nil && keeper.keptPorts == 0)
      // A child of another test may hold what was open here until it is a program of its own.
      check(waitUntil { !port.isKept })
      check(right.post(1) == nil && port.next()?.id == 1)
      check(keeping.right.post(2) == nil && keeper.next()?.id == 2)
    }
    check(keeper.faults.isEmpty)
    drop(port)
    check(right.isDeadName && keeper.waiting() == nil)
  }

  @Test func refusals() throws {
    let keeper = try ReceiveRight()
    let keeping = try keeper.makeKeepingSendRight()
    #expect(throws: PortError.circularMove) { try keeper.requestPortDestroyedNotification(to: keeping) }
    let port = try ReceiveRight()
    try keep(port, in: keeper)
    #expect(throws: PortError.alreadyKept) { try port.requestPortDestroyedNotification(to: keeping) }
    let carrier = try ReceiveRight()
    var message = Message(id: 1)
    message.attach(keeper)
    switch try carrier.makeSendRight().send(message) {
    case .sent: Issue.record("a keeper moved")
    case .returned(var message, let error):
      check(error == .keepsPorts)
      let back = try message.takeReceiveRight(at: 0)
      drop(port)
      _ = try back.nextOrphan()
    }
    let dead = try ReceiveRight().makeKeepingSendRight()
    let other = try ReceiveRight()
    #expect(throws: PortError.deadName) { try other.requestPortDestroyedNotification(to: dead) }
    check(!other.isKept)
  }

  @Test func aKeeperThatDiesIsFollowedByAnother() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let first = try ReceiveRight()
    try keep(port, in: first)
    drop(first)
    check(!port.isKept)
    let second = try ReceiveRight()
    try keep(port, in: second)
    check(right.post(1) == nil)
    drop(port)
    check(try second.nextOrphan().next()?.id == 1)
  }

  @Test func theRequestMovesWithThePort() throws {
    let keeper = try ReceiveRight()
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    try keep(port, in: keeper)
    check(right.post(1) == nil && right.post(2) == nil && port.next()?.id == 1)
    let moved = try moved(port)
    check(moved.isKept && !right.isDeadName)
    let copy = try right.copy()
    check(moved.next()?.id == 2)
    check(copy.post(3) == nil && moved.next()?.id == 3 && copy.post(4) == nil)
    check(keeper.waiting() == nil)
    drop(moved)
    let heir = try keeper.nextOrphan()
    check(heir.next()?.id == 4)
    check(copy.post(5) == nil && right.post(6) == nil && heir.drain() == [5, 6])
  }

  /// Lost in a message that nobody receives.
  @Test func aPortOnItsWayIsKept() throws {
    let keeper = try ReceiveRight()
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    try keep(port, in: keeper)
    do {
      let carrier = try ReceiveRight()
      var message = Message(id: 1)
      message.attach(port)
      try carrier.makeSendRight().send(message).get()
    }
    let heir = try keeper.nextOrphan()
    check(right.post(1) == nil && heir.next()?.id == 1)
  }

  @Test func eachSendOnceRightGivesOneMessage() throws {
    let keeper = try ReceiveRight()
    let port = try ReceiveRight()
    try keep(port, in: keeper)
    let used = OnceBox(try port.makeSendOnceRight())
    let sent = OnceBox(try port.makeSendOnceRight())
    let late = OnceBox(try port.makeSendOnceRight())
    for _ in 0..<2 { _ = try port.makeSendOnceRight() }
    check(error(of: used.take()!.send(Message(id: 1))) == nil)
    // One notice is told, another one is in hand, one message was taken.
    var seen = [port.next(), port.next()]
    check(error(of: sent.take()!.send(Message(id: 2))) == nil)
    check(keeper.waiting() == nil)
    drop(port)
    let heir = try keeper.nextOrphan()
    while let next = heir.waiting() { seen.append(next) }
    _ = late.take()
    seen.append(heir.next())
    check(seen.count { $0?.notification == .sendOnce } == 3, "\(seen)")
    check(Set(seen.compactMap { $0?.notification == nil ? $0?.id : nil }) == [1, 2] && heir.waiting() == nil)
  }

  @Test func noSendersIsStillArmed() throws {
    let keeper = try ReceiveRight()
    let port = try ReceiveRight()
    let right = RightHolder(try port.makeSendRight())
    try keep(port, in: keeper)
    try port.requestNoSendersNotification()
    drop(port)
    let heir = try keeper.nextOrphan()
    check(heir.waiting() == nil)
    right.drop()
    check(heir.next()?.notification == .noSenders(makeSendCount: 0))
  }

  /// The reply right of a destroyed port can still be used, and its drop is noticed.
  @Test func owedRepliesOutliveTheOwner() throws {
    let keeper = try ReceiveRight()
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    try keep(port, in: keeper)
    let endings = Mutex<[PortError?]>([])
    let callers = (0..<2).map { _ in
      WorkerThread {
        let end = ending(right.right.call(Message(id: 1), timeout: .seconds(10)))
        endings.withLock { $0.append(end) }
      }
    }
    var first = try port.receive(timeout: .seconds(5))
    var second = try port.receive(timeout: .seconds(5))
    let replies = [OnceBox(first.takeReply()!), OnceBox(second.takeReply()!)]
    drop(port)
    let heir = try keeper.nextOrphan()
    check(error(of: replies[0].take()!.send(Message(id: 3))) == nil)
    _ = replies[1].take()
    for caller in callers { caller.join() }
    check(Set(endings.withLock { $0 }) == [nil, .replyDropped])
    check(right.right.post(4) == nil && heir.next()?.id == 4)
  }

  /// A packet of several messages stays in its wire until the last one is out, so that the keeper has what is left.
  @Test(arguments: ["before", "between", "between, and it moves"])
  func aPacketOfSeveralComesOnceAlthoughTheKeeperDies(when: String) throws {
    let keeper = PortHolder(try ReceiveRight())
    guard let kept = keeper.take() else { return }
    let port = try ReceiveRight()
    try keep(port, in: kept)
    let right = try port.makeSendRight()
    var batch = MessageBatch()
    for id in Int32(1)...4 { batch.append(Message(id: id)) }
    try right.send(batch).get()
    var seen: [Int32] = []
    if when == "before" {
      drop(kept)
    } else {
      seen.append(port.next()?.id ?? 0)
      drop(kept)
      seen.append(port.next()?.id ?? 0)
    }
    let last = when.hasSuffix("moves") ? try moved(port) : port
    check(right.post(5) == nil)
    while let next = last.waiting() { seen.append(next.id) }
    check(seen == [1, 2, 3, 4, 5], "\(seen)")
    check(last.faults.isEmpty)
  }
}
