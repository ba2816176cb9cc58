import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// A keeper that does not read what it is told harms nobody but itself.
@Suite struct SilentKeeperTests {
  private static func keep(_ port: borrowing ReceiveRight, in keeper: borrowing ReceiveRight) throws {
    try port.requestPortDestroyedNotification(to: try keeper.makeKeepingSendRight())
    check(keeper.waiting() == nil && keeper.keptPorts == 1 && port.isKept)
  }

  /// Makes and drops rights until nothing more can be said to the keeper.
  private static func silence(_ port: borrowing ReceiveRight) throws {
    for _ in 0..<100_000 {
      let right = try port.makeSendRight()
      let isHeard = port.mailbox.state.withLock { $0.keeper?.isUpToDate ?? false }
      _ = consume right
      _ = try port.status()
      if !isHeard { return }
    }
    Issue.record("the keeper hears everything")
  }

  @Test func rightsAreMadeCopiedAndDroppedAsEver() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let keeper = try ReceiveRight()
        let port = try ReceiveRight()
        try SilentKeeperTests.keep(port, in: keeper)
        let early = try port.makeSendRight()
        var gone: SendRight? = try port.makeSendRight()
        try SilentKeeperTests.silence(port)
        let late = try port.makeSendRight()
        // What comes and goes while nobody listens is forgotten.
        for _ in 0..<3000 {
          do { _ = try port.makeSendRight() }
          check(port.waiting() == nil)
        }
        check(gone.take() != nil && port.waiting() == nil)
        port.mailbox.state.withLock { state in
          check((state.keeper?.additions.placeCount ?? .max) < 100 && (state.keeper?.removals.count ?? .max) < 10)
        }
        let copy = try early.copy()
        check(copy.post(1) == nil && late.post(2) == nil)
        check(port.next() == Received(id: 1) && port.next() == Received(id: 2) && port.stoppedWires == 0)
        check(port.isKept && port.faults.isEmpty)
        // When it reads again it hears of all that is left.
        check(keeper.waiting() == nil)
        check(early.post(3) == nil && port.next() == Received(id: 3))
        check(port.mailbox.state.withLock { $0.keeper?.isUpToDate ?? false })
        check(keeper.waiting() == nil && keeper.keptPorts == 1 && keeper.faults.isEmpty)
        for right in [early.end, late.end, copy.end] { check(!right.isDeadName) }
        check(early.post(4) == nil && late.post(5) == nil && copy.post(6) == nil)
        drop(port)
        let heir = try keeper.nextOrphan()
        check(heir.drain() == [4, 5, 6] && heir.faults.isEmpty)
        check(try heir.status().wireCount == 3)
      }
      checkCensus(before)
    }
  }

  /// The order of the news is kept: a copy is charged to whom it came from.
  @Test func whoPaysIsStillKnown() throws {
    let keeper = try ReceiveRight()
    let port = try ReceiveRight()
    try Self.keep(port, in: keeper)
    try Self.silence(port)
    let right = try port.makeSendRight()
    let copies = try (0..<3).map { _ in
      let copy = RightBox(try right.copy())
      check(port.waiting() == nil)
      return copy
    }
    check(keeper.waiting() == nil)
    check(right.post(1) == nil && port.next() == Received(id: 1) && keeper.waiting() == nil)
    drop(port)
    let heir = try keeper.nextOrphan()
    check(heir.waiting() == nil && copies.allSatisfy { !$0.right.isDeadName })
    check(heir.mailbox.state.withLock { $0.charges.chargedCount } == 3)
  }

  /// The next owner could not be told to the keeper, so the port stays, and everything with it.
  @Test func thePortCannotMoveUntilItsKeeperReads() throws {
    let keeper = try ReceiveRight()
    let port = try ReceiveRight()
    try Self.keep(port, in: keeper)
    let right = try port.makeSendRight()
    check(right.post(1) == nil)
    try Self.silence(port)
    // Smaller words than those which did not fit.
    let way = try ReceiveRight()
    let to = try way.makeSendRight()
    var message = Message(id: 2)
    message.attach(port)
    var whole: ReceiveRight?
    switch to.send(message, timeout: .zero) {
    case .sent: Issue.record("the keeper was told")
    case .returned(var message, let error):
      check(error == .keeperNotReading, "\(error)")
      whole = try message.takeReceiveRight(at: 0)
    }
    guard let port = whole.take() else { return }
    check(keeper.waiting() == nil)
    var again = Message(id: 3)
    again.attach(port)
    try to.send(again, timeout: .zero).get()
    var received = try way.receive(timeout: .seconds(5))
    let moved = try received.takeReceiveRight(at: 0)
    check(moved.isKept && right.post(4) == nil)
    check(moved.next() == Received(id: 1) && moved.next() == Received(id: 4))
  }
}
