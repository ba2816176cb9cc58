import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Wires whose holders' ends lie in stopped wires: they never hang up by themselves.
@Suite struct PatienceTests {
  private static let adopt = FrameHeader(kind: .adopt).encoded()

  /// The holder's end of one wire, by hand.
  private final class Holder {
    let socket: PacketSocket
    init(_ socket: consuming PacketSocket) { self.socket = socket }

    /// Sends `end` as if it were a copy's mailbox end.
    func park(_ end: Holder, _ count: Int = 1) -> Bool {
      let packet = [UInt8](repeatElement(PatienceTests.adopt, count: count).joined())
      let descriptors = [CInt](repeating: end.socket.descriptor.number, count: count)
      return (try? socket.send(head: packet, tail: nil, 0..<0, descriptors: descriptors)) ?? false
    }
  }

  /// The mailbox end of a copy whose holder is gone.
  private static func deadEnd() throws -> Holder {
    let pair = try PacketSocket.pair()
    return Holder(PacketSocket(try pair.second.descriptor.duplicate()))
  }

  /// So many wires that came down one right, which fill their account.
  private func family(_ count: Int, in port: borrowing ReceiveRight) throws -> [Holder] {
    try port.setCopyLimit(count)
    let right = try port.makeSendRight()
    return try (0..<count).map { _ in
      let pair = try PacketSocket.pair()
      check(right.inject(Self.adopt, descriptors: [pair.second.descriptor.number]))
      check(port.waiting() == nil)
      return Holder(PacketSocket(try pair.first.descriptor.duplicate()))
    }
  }

  private func setPatience(_ patience: Duration, of port: borrowing ReceiveRight) {
    port.mailbox.state.withLock { $0.patience = Patience(patience) }
  }

  /// As if the wires that are stopped now had been so for long, but for this time.
  private func shorten(_ left: Duration, of port: borrowing ReceiveRight) {
    port.mailbox.state.withLock { state in
      let stopped = state.patience.takeOver(now: .distantFuture)
      state.patience = Patience(left)
      for key in stopped { state.patience.begin(key, now: .now) }
      if state.alarm.moment != nil { state.alarm.set(state.patience.next(), in: state.shared.poller) }
    }
  }

  /// Nothing is left of all wires, though nobody but the port can let go of them.
  private func checkCollapse(of port: borrowing ReceiveRight, sourceLocation: SourceLocation = #_sourceLocation) throws
  {
    try port.requestNoSendersNotification(sync: 1)
    check(port.next()?.notification == .noSenders(makeSendCount: 1), sourceLocation: sourceLocation)
    check(try port.status().wireCount == 0 && port.stoppedWires == 0, sourceLocation: sourceLocation)
    check(port.mailbox.state.withLock { $0.alarm.moment == nil && $0.patience.isEmpty }, sourceLocation: sourceLocation)
  }

  @Test func wiresThatHoldTheirOwnEndsInHand() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let tests = PatienceTests()
        let port = try ReceiveRight()
        tests.setPatience(.milliseconds(1), of: port)
        do { for holder in try tests.family(4, in: port) { check(holder.park(holder)) } }
        try tests.checkCollapse(of: port)
      }
      checkCensus(before)
    }
  }

  @Test func wiresThatHoldTheirOwnEndsUnread() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let tests = PatienceTests()
        let port = try ReceiveRight()
        tests.setPatience(.milliseconds(1), of: port)
        for holder in try tests.family(3, in: port) {
          for _ in 0..<3 { check(try holder.park(PatienceTests.deadEnd())) }
          check(holder.park(holder) && holder.park(holder))
        }
        try tests.checkCollapse(of: port)
      }
      checkCensus(before)
    }
  }

  @Test func aRingOfWires() throws {
    let port = try ReceiveRight()
    setPatience(.milliseconds(1), of: port)
    do {
      let holders = try family(5, in: port)
      for (index, holder) in holders.enumerated() { check(holders[(index + 1) % 5].park(holder)) }
    }
    try checkCollapse(of: port)
  }

  @Test func aRingOfPorts() throws {
    let ports = try (0..<2).map { _ in PortBox(try ReceiveRight()) }
    do {
      let families = try ports.map { box in
        setPatience(.milliseconds(1), of: box.port)
        return try family(2, in: box.port)
      }
      for index in 0..<2 {
        check(families[0][index].park(families[1][index]) && families[1][index].park(families[0][index]))
      }
      check(ports[0].port.waiting() == nil && ports[1].port.waiting() == nil)
    }
    // What the second one lets go of is what the first one waits for, and the other way round.
    var dead = [false, false]
    for box in ports { try box.port.requestNoSendersNotification(sync: 1) }
    let deadline = Deadline(after: .seconds(5))
    while dead.contains(false), !deadline.hasPassed {
      for index in 0..<2 where ports[index].port.next(timeout: .milliseconds(1)) != nil { dead[index] = true }
    }
    check(dead == [true, true])
  }

  /// Who sleeps wakes up for it: a thread in `receive`, a thread at the descriptor, one in a set.
  @Test func sleepersWakeUp() throws {
    for way in 0..<3 {
      let port = try ReceiveRight()
      do {
        let holders = try family(2, in: port)
        for holder in holders { check(holder.park(holder)) }
        check(port.waiting() == nil && port.stoppedWires == 2)
      }
      shorten(.milliseconds(30), of: port)
      try port.requestNoSendersNotification(sync: 1)
      check(try word(of: port, by: way) == .noSenders(makeSendCount: 1))
    }
  }

  private func word(of port: borrowing ReceiveRight, by way: Int) throws -> PortNotification? {
    if way == 0 { return port.next()?.notification }
    if way == 1 {
      let set = try PortSet()
      try set.insert(port)
      return try set.receive(timeout: .seconds(5)).notification
    }
    let deadline = Deadline(after: .seconds(5))
    while !deadline.hasPassed {
      check(try waitForReadiness(of: port.pollDescriptor, .readable, until: deadline))
      if let next = port.waiting() { return next.notification }
    }
    return nil
  }

  /// What an honest client brought above its share becomes dead names; nothing else of its wire is lost, and when it
  /// ended other rights its copies are taken in again.
  @Test func refusedCopiesAreDeadNamesUntilThereIsRoom() throws {
    let port = try ReceiveRight()
    try port.setCopyLimit(1)
    let right = try port.makeSendRight()
    var first: SendRight? = try right.copy()
    check(port.waiting() == nil)
    let second = try right.copy()
    check(right.post(1) == nil)
    check(port.waiting() == nil && port.stoppedWires == 1 && !second.isDeadName)
    shorten(.zero, of: port)
    check(port.waiting() == Received(id: 1) && second.isDeadName && port.stoppedWires == 0)
    setPatience(.seconds(1000), of: port)
    let third = try right.copy()
    check(right.post(2) == nil && port.waiting() == Received(id: 2) && third.isDeadName)
    check(first.take() != nil && port.waiting() == nil)
    let fourth = try right.copy()
    check(fourth.post(4) == nil && port.waiting() == Received(id: 4))
    // From here on it waits again.
    let fifth = try right.copy()
    check(right.post(5) == nil && port.waiting() == nil && port.stoppedWires == 1 && !fifth.isDeadName)
    check(port.faults.isEmpty)
  }

  /// The wire was stopped in a shortage, which does not end.
  @Test func aShortageThatDoesNotEnd() async {
    await #expect(processExitsWith: .success) {
      let tests = PatienceTests()
      let port = try ReceiveRight()
      tests.setPatience(.milliseconds(1), of: port)
      let holders = try tests.family(3, in: port)
      try port.setCopyLimit(64)
      for holder in holders { check(holder.park(holder)) }
      let filler = try DescriptorFiller(limit: 400, room: 30)
      check(port.waiting() == nil)
      try port.requestNoSendersNotification(sync: 1)
      do { _ = consume holders }
      check(port.next()?.notification == .noSenders(makeSendCount: 1) && port.stoppedWires == 0)
      filler.release(1)
    }
  }

  /// No descriptor is left for the alarm.
  @Test func withoutAnAlarmTheNextLookDoes() async {
    await #expect(processExitsWith: .success) {
      let tests = PatienceTests()
      let port = try ReceiveRight()
      check(port.next(timeout: .milliseconds(1)) == nil)
      let holders = try tests.family(2, in: port)
      // What is over gives its descriptors back now.
      check(try port.status().wireCount == 2)
      let filler = try DescriptorFiller(limit: 400, room: 2)
      // For the ends in the packets.
      for holder in holders { check(holder.park(holder)) }
      check(port.waiting() == nil && port.stoppedWires == 2)
      check(port.mailbox.state.withLock { $0.alarm.moment == nil })
      tests.shorten(.milliseconds(1), of: port)
      try port.requestNoSendersNotification(sync: 1)
      do { _ = consume holders }
      check(port.next()?.notification == .noSenders(makeSendCount: 1))
      filler.release(1)
    }
  }

  /// A stopped wire has one copy in hand and no more.
  @Test func aPacketWithMoreThanACopyIsNotHeld() throws {
    let port = try ReceiveRight()
    let holders = try family(1, in: port)
    let parked = try PatienceTests.deadEnd()
    check(holders[0].park(parked, 4))
    check(port.waiting() == nil && port.stoppedWires == 0 && port.faults.isEmpty)
    check(try port.status().wireCount == 1)
  }

  @Test func theAlarmEndsWithAPortThatMoves() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let tests = PatienceTests()
        let port = try ReceiveRight()
        let holders = try tests.family(2, in: port)
        // The first one pays for the others there, as whoever paid is gone.
        try port.setCopyLimit(1)
        check(try holders[0].park(PatienceTests.deadEnd()))
        check(port.waiting() == nil && port.stoppedWires == 1)
        let carrier = try ReceiveRight()
        var message = Message(id: 1)
        message.attach(port)
        try carrier.makeSendRight().send(message).get()
        var received = try carrier.receive(timeout: .seconds(5))
        let moved = try received.takeReceiveRight(at: 0)
        check(moved.waiting() == nil && moved.stoppedWires == 1)
        tests.shorten(.zero, of: moved)
        check(moved.waiting() == nil && moved.stoppedWires == 0 && moved.faults.isEmpty)
        check(moved.mailbox.state.withLock { $0.alarm.moment == nil })
      }
      checkCensus(before)
    }
  }

  @Test func theWiresOfAKeptPort() throws {
    let keeper = try ReceiveRight()
    let port = try ReceiveRight()
    try port.requestPortDestroyedNotification(to: try keeper.makeKeepingSendRight())
    check(keeper.waiting() == nil && port.isKept)
    setPatience(.milliseconds(1), of: port)
    do { for holder in try family(3, in: port) { check(holder.park(holder)) } }
    // The keeper holds the mailbox ends as well: it lets go of them when it reads what it is told.
    try port.requestNoSendersNotification(sync: 1)
    check(port.next()?.notification == .noSenders(makeSendCount: 1) && port.stoppedWires == 0)
  }

  // MARK: The pure part

  @Test func timeGoesOnWhileAWireIsTriedAgain() {
    var patience = Patience(.seconds(10))
    func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
    patience.begin(1, now: at(0))
    patience.begin(2, now: at(1))
    patience.begin(1, now: at(5))
    check(patience.next() == at(10) && patience.takeOver(now: at(9)).isEmpty)
    check(patience.takeOver(now: at(10)) == [1] && patience.next() == at(11))
    patience.begin(1, now: at(10))
    patience.begin(3, now: at(11))
    patience.end(1)
    check(patience.takeOver(now: at(30)) == [2, 3] && patience.isEmpty && patience.next() == nil)
  }

  @Test func aLineOfKeysDoesNotGrowWithThoseWhoLeft() {
    var line = KeyLine<Int>()
    line.append(0, 0)
    for key in 1...10_000 as ClosedRange<UInt64> {
      line.append(key, Int(key))
      line.append(key, 0)
      if key % 2 == 0 { line.remove(key - 1) }
      if key > 10, key % 2 == 0 { line.remove(key - 10) }
    }
    check(line.count == 6 && line.placeCount < 100)
    check(line.contains(0) && !line.contains(3))
    var seen: [Int] = []
    while let first = line.first() {
      seen.append(first.value)
      line.remove(first.key)
    }
    check(seen == [0, 9992, 9994, 9996, 9998, 10_000])
    check(line.isEmpty && line.placeCount == 0)
  }

  @Test func firstInFirstOut() {
    var fifo = Fifo<Int>()
    var (next, expected) = (0, 0)
    var random = seed("PatienceTests")
    for _ in 0..<20_000 {
      if random.chance(50) {
        fifo.append(next)
        next += 1
      } else if let first = fifo.popFirst() {
        check(first == expected)
        expected += 1
      } else {
        check(next == expected)
      }
      check(fifo.count == next - expected && fifo.isEmpty == (next == expected))
    }
  }
}
