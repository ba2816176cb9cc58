import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Changes of the queue limit that a holder cannot be told at once: the last one counts.
@Suite struct LimitNewsTests {
  private func untold(_ port: borrowing ReceiveRight) -> Int { port.mailbox.state.withLock { $0.untold.count } }

  /// Tells the holder so often that there is no room for the next word.
  private func tellUntilFull(_ port: borrowing ReceiveRight) throws {
    var count = 0
    while untold(port) == 0, count < 100_000 {
      try port.setQueueLimit(count.isMultiple(of: 2) ? 1000 : 0)
      count += 1
    }
    check(untold(port) > 0 && count > 10)
  }

  @Test func theLastLimitCounts() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    try tellUntilFull(port)
    for round in 0..<1000 { try port.setQueueLimit(round.isMultiple(of: 2) ? 900 : 700) }
    try port.setQueueLimit(2)
    // The holder reads what there is, and the port, which looks at its wires, tells the rest.
    _ = right.post(1, timeout: .zero)
    _ = port.waiting()
    check(untold(port) == 0)
    var count = 0
    while right.post(2, timeout: .zero) == nil { count += 1 }
    check(count == 2)
    // Nothing is left that would wake anybody.
    while port.waiting() != nil {}
    check(try !waitForReadiness(of: port.pollDescriptor, .readable, until: Deadline(after: .zero)))
  }

  /// A sender that waits because of an older word sends nothing that the port could see: the kernel tells the port that
  /// its word has room now.
  @Test func aSenderThatWaitsHearsOfIt() throws {
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    try tellUntilFull(port)
    // Whatever was told last, the holder believes in 0.
    right.right.end.readNews()
    port.mailbox.state.withLock { state in
      let key = state.wires.keys[0]
      state.queueLimit = 0
      state.tellLimit(key)
      while !state.untold.contains(key) { state.tellLimit(key) }
    }
    try port.setQueueLimit(3)
    check(untold(port) == 1)
    let sender = WorkerThread { check(right.right.post(1, timeout: nil) == nil) }
    check(port.next() == Received(id: 1) && untold(port) == 0)
    sender.join()
  }

  /// What was not told travels with the port.
  @Test func theNextOwnerTells() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    try tellUntilFull(port)
    try port.setQueueLimit(1)
    let way = try ReceiveRight()
    var message = Message(id: 1)
    message.attach(port)
    try way.makeSendRight().send(message).get()
    var arrived = try way.receive(timeout: .seconds(5))
    let moved = try arrived.takeReceiveRight(at: 0)
    _ = right.post(1, timeout: .zero)
    _ = moved.waiting()
    check(untold(moved) == 0)
    var count = 0
    while right.post(2, timeout: .zero) == nil { count += 1 }
    check(count == 1)
  }

  /// A holder that reads nothing has room for replies left, however often the limit changes.
  @Test func changesOfTheLimitCostNoCallerItsWire() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    for number in 0..<UInt64(Limits.callsPerWire) {
      check(right.inject(FrameHeader(kind: .call, sequence: number).encoded()))
    }
    for count in 0..<20_000 { try port.setQueueLimit(count.isMultiple(of: 2) ? 1000 : 0) }
    for _ in 0..<Limits.callsPerWire { _ = port.next() }
    check(!right.isDeadName)
  }
}
