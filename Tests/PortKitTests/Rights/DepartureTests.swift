import Glibc
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// What a port takes along, and that nothing is taken out of it on the way.
@Suite struct DepartureTests {
  @Test func limitIntroducersAndAccountsTravel() throws {
    let port = try ReceiveRight()
    try port.setCopyLimit(2)
    let introducing = try port.makeIntroducingSendRight()
    let ordinary = try port.makeSendRight()
    let copy = try ordinary.copy()
    check(copy.post(1) == nil && port.next()?.id == 1)
    let moved = try moved(try moved(port))
    check(moved.copyLimit == 2)
    let introduced = try (0..<5).map { _ in RightBox(try introducing.copy()) }
    check(introduced.allSatisfy { $0.right.post(2) == nil } && moved.drain().count == 5 && moved.stoppedWires == 0)
    // One place is left in the account that the copy is charged to.
    let second = try copy.copy()
    check(second.post(3) == nil && moved.next()?.id == 3)
    let third = try ordinary.copy()
    check(third.post(4) == nil && moved.waiting() == nil && moved.stoppedWires == 1)
    try moved.setCopyLimit(3)
    check(moved.next()?.id == 4)
  }

  @Test func aStrangerDoesNotSayWhatCopiesMayCost() {
    let own = ProcessFacts.effectiveUser
    #expect(MailboxState.isTrusted(Credentials(processID: 1, userID: 0, groupID: 0)))
    #expect(MailboxState.isTrusted(Credentials(processID: 1, userID: own, groupID: 7)))
    #expect(!MailboxState.isTrusted(Credentials(processID: 1, userID: own + 1, groupID: 0)))
    #expect(!MailboxState.isTrusted(nil))
  }

  @Test func aNoSendersNoticeThatNobodyReceivedIsAskedForAgain() throws {
    let port = try ReceiveRight()
    do { _ = try port.makeSendRight() }
    try port.requestNoSendersNotification()
    // The notice is made, since it would not be due after this.
    var right: SendRight? = try port.makeSendRight()
    let next = try moved(port)
    check(next.waiting() == nil)
    _ = right.take()
    check(next.next()?.notification == .noSenders(makeSendCount: 0))
    check(next.waiting() == nil)
    // A later request is worth more than what an earlier one brought.
    right = try next.makeSendRight()
    _ = right.take()
    try next.requestNoSendersNotification()
    try next.requestNoSendersNotification(sync: 3)
    let last = try moved(next)
    check(last.waiting() == nil)
    for _ in 0..<2 { right = try last.makeSendRight() }
    _ = right.take()
    check(last.next()?.notification == .noSenders(makeSendCount: 2))
  }

  @Test func aPackedPortTakesNothingInHand() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    do {
      let packed = try port.mailbox.pack(owner: port.owner)
      check(right.post(1) == nil && port.waiting() == nil)
      // As a thread does that comes back from its sleep.
      try port.mailbox.locked { (state) throws(PortError) in
        do throws(Errno) { try state.poll() } catch { throw PortError(error) }
      }
      check(!port.hasStagedMail)
      _ = packed
    }
    // It did not leave.
    check(port.next() == Received(id: 1))
  }

  /// Threads wait in a port and in a set of it, while the port goes round: each message is received once, in order, by
  /// whoever has the port.
  @Test func movesAmongThreadsThatWait() throws {
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    let other = RightBox(try port.makeSendRight())
    let seen = Seen()
    let total: Int32 = 4000
    let sender = WorkerThread {
      for id in 0..<total { check((id % 3 == 0 ? other : right).right.post(id, timeout: .seconds(20)) == nil) }
    }
    var current: ReceiveRight? = consume port
    let deadline = Deadline(after: .seconds(30))
    while let port = current.take() {
      if seen.withLock({ $0.count == Int(total) }) || deadline.hasPassed { break }
      let stay = try Stay(port, try PortSet(), seen)
      for _ in 0..<20 { sched_yield() }
      current = try moved(try stay.end())
    }
    sender.join()
    let ids = seen.withLock { $0 }
    check(ids.sorted() == Array(0..<total), "\(ids.count) of \(total)")
  }
}

/// What threads of a test have seen together.
private final class Seen: Sendable {
  private let ids = Mutex<[Int32]>([])
  func add(_ id: Int32) { ids.withLock { $0.append(id) } }
  func withLock<Result>(_ body: (inout [Int32]) -> Result) -> Result { ids.withLock { body(&$0) } }
}

/// A port where threads wait, one directly and one at a set, until it goes on.
private final class Stay {
  private final class Place: Sendable {
    let port: ReceiveRight
    let set: PortSet
    init(_ port: consuming ReceiveRight, _ set: consuming PortSet) {
      self.port = port
      self.set = set
    }
  }

  private let place: Place
  private let threads: [WorkerThread]

  init(_ port: consuming ReceiveRight, _ set: consuming PortSet, _ seen: Seen) throws {
    let place = Place(port, set)
    _ = try place.set.insert(place.port)
    self.place = place
    threads = [
      WorkerThread { while let message = try? place.port.receive(timeout: .seconds(5)) { seen.add(message.id) } },
      WorkerThread { while let message = try? place.set.receive(timeout: .seconds(5)) { seen.add(message.id) } },
    ]
  }

  /// The port, which nobody waits for any more.
  func end() throws -> ReceiveRight {
    let port = try place.port.transfer()
    place.set.destroy()
    for thread in threads { thread.join() }
    return port
  }
}
