import Glibc
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// Ports that move between real processes, and movers that are killed.
@Suite(.serialized) struct PortMoveProcessTests {
  @Test("C34: a port moves with queued mail and a blocked sender")
  func aBusyPortMovesToAnotherProcess() throws {
    let probe = try Probe("heir", ["6"])
    let door = try Door(probe)
    try probe.process.lines(through: "ready")
    let port = try ReceiveRight()
    try port.setQueueLimit(3)
    let right = RightBox(try port.makeSendRight())
    let other = try port.makeSendRight()
    for id in 1...3 as ClosedRange<Int32> { check(right.right.post(id) == nil) }
    let sender = WorkerThread {
      for id in 4...5 as ClosedRange<Int32> { check(right.right.post(id, timeout: .seconds(20)) == nil) }
    }
    let deadline = Deadline(after: .seconds(5))
    while !right.right.end.queue.withLock({ $0.isSomebodyWaiting }), !deadline.hasPassed { sched_yield() }
    try probe.process.pause()
    var message = Message(id: 2)
    message.attach(port)
    try door.inbox.send(message).get()
    // The port is in nobody's hands now.
    check(other.post(10) == nil)
    probe.process.resume()
    let lines = try probe.process.lines(through: "done")
    sender.join()
    check(lines.first == "made 0 limit 3", "\(lines)")
    check(!lines.contains { $0.hasPrefix("numbered") }, "\(lines)")
    let got = lines.filter { $0.hasPrefix("got ") }.compactMap { Int32($0.dropFirst(4)) }
    check(got.filter { $0 != 10 } == [1, 2, 3, 4, 5], "\(got)")
    check(got.firstIndex(of: 10) ?? 0 >= 3, "\(got)")
    check(!other.isDeadName)
    probe.process.kill()
    _ = probe.process.wait(until: Deadline(after: .seconds(5)))
    check(waitUntil { other.isDeadName && right.right.isDeadName })
  }

  /// All or nothing: the port comes back with every wire and every message in order, or it is dead for all its senders.
  @Test func moversThatAreKilledLoseNothingOrAll() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      var random = seed("PortMoveProcessTests")
      var whole = 0
      var trips = 0
      for _ in 0..<60 {
        let round = try MoverRound(wires: random.number(1...60))
        trips += try round.run(killAfterMicroseconds: random.number(0...12_000))
        if round.cameBack { whole += 1 }
      }
      print("PortMoveProcessTests: \(trips) trips, \(whole) of 60 ports came back")
      checkCensus(before)
    }
  }
}

/// The test's side of a probe: what it says comes to `port`, what it is told goes to `inbox`.
final class Door {
  let port: ReceiveRight
  let inbox: SendRight

  init(_ probe: Probe) throws {
    guard let connection = probe.takeConnection() else { throw StageError.noLine("a connection", seen: []) }
    let port = try ReceiveRight(adopting: connection)
    try port.requestNoSendersNotification()
    var hello = try port.receive(timeout: .seconds(20))
    inbox = try hello.takeSendRight(at: 0)
    self.port = port
  }
}

/// One port that goes to another process and back until that is killed, while a thread sends to it all the time.
private final class MoverRound {
  private final class Rights: Sendable {
    let all: [RightBox]
    init(_ all: [RightBox]) { self.all = all }
  }

  private let probe: Probe
  private let door: Door
  private let rights: Rights
  private let start: PortHolder
  private(set) var cameBack = false
  private var seen: [Int32] = []

  init(wires: Int) throws {
    probe = try Probe("mover", ["7"])
    door = try Door(probe)
    let port = try ReceiveRight()
    rights = Rights(try (0..<wires).map { _ in RightBox(try port.makeSendRight()) })
    start = PortHolder(port)
  }

  /// The number of times that the port came back.
  func run(killAfterMicroseconds delay: Int) throws -> Int {
    let numbers = Counter()
    let rights = self.rights
    let sender = WorkerThread { numbers.send(on: rights.all) }
    let victim = Victim(probe.process)
    let killer = WorkerThread {
      let deadline = Deadline(after: .microseconds(delay))
      while !deadline.hasPassed { sched_yield() }
      victim.kill()
    }
    var trips = 0
    var port = start.take()
    while let leaving = port.take() {
      var message = Message(id: 2)
      message.attach(leaving)
      switch door.inbox.send(message, timeout: .seconds(10)) {
      case .sent: port = try comeBack()
      case .returned(var message, let error):
        check(error == .deadName)
        try finish(try message.takeReceiveRight(at: 0), numbers, sender)
      }
      trips += 1
    }
    killer.join()
    _ = probe.process.wait(until: Deadline(after: .seconds(5)))
    if !cameBack { expectAllDead(numbers, sender) }
    return trips
  }

  /// Nil when the mover died with the port.
  private func comeBack() throws -> ReceiveRight? {
    var message = try door.port.receive(timeout: .seconds(10))
    if message.notification != nil { return nil }
    var reader = MessageReader(message.body)
    while reader.remaining > 0 { seen.append(try reader.read()) }
    return try message.takeReceiveRight(at: 0)
  }

  /// One thread sent all, so there is one order.
  private func finish(_ port: consuming ReceiveRight, _ numbers: Counter, _ sender: WorkerThread) throws {
    cameBack = true
    numbers.stop()
    sender.join()
    while let message = try? port.receive(timeout: .zero) { seen.append(message.id) }
    check(seen == Array(0..<numbers.count), "\(seen.count) seen, \(numbers.count) sent")
    check(port.faults.isEmpty)
    for right in rights.all { check(!right.right.isDeadName) }
  }

  private func expectAllDead(_ numbers: Counter, _ sender: WorkerThread) {
    let deadline = Deadline(after: .seconds(5))
    while rights.all.contains(where: { !$0.right.isDeadName }), !deadline.hasPassed { sched_yield() }
    let living = rights.all.count { !$0.right.isDeadName }
    check(living == 0, "\(living) of \(rights.all.count) wires live on")
    sender.join()
    // What was taken before is a prefix of what was sent.
    check(seen == Array(0..<Int32(seen.count)))
  }
}

/// Numbers the messages that were sent, each begun after the one before it.
private final class Counter: Sendable {
  private let next = Atomic<Int32>(0)
  private let isStopped = Atomic(false)

  var count: Int32 { next.load(ordering: .acquiring) }
  func stop() { isStopped.store(true, ordering: .releasing) }

  func send(on rights: [RightBox]) {
    while true {
      for right in rights {
        if isStopped.load(ordering: .acquiring) { return }
        let number = next.load(ordering: .relaxed)
        switch right.right.post(number, timeout: .zero) {
        case nil: next.store(number + 1, ordering: .releasing)
        case .timedOut: sched_yield()
        default: return
        }
      }
    }
  }
}

/// For the thread that kills: the process outlives it.
private final class Victim: Sendable {
  private let processID: CInt
  init(_ process: ChildProcess) { processID = process.processID }
  func kill() { _ = Glibc.kill(processID, SIGKILL) }
}
