import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Threads that receive from sets and ports while membership changes under them.
@Suite struct PortSetStormTests {
  private static let portCount = 5
  private static let perPort = 400

  /// Everything that the threads share.
  private final class Stage: Sendable {
    let ports: PortList
    let sets: [SetBox]
    let seen = Monitor<[Int32: Int]>([:])

    init() throws {
      ports = PortList(try (0..<portCount).map { _ in PortBox(try ReceiveRight()) })
      sets = [SetBox(try PortSet()), SetBox(try PortSet())]
    }

    var total: Int { portCount * perPort }
    var isDone: Bool { seen.withLock { $0.count } >= total }

    func note(_ id: Int32) {
      seen.withLock { $0[id, default: 0] += 1 }
      seen.notifyAll()
    }

    func sender(_ number: Int) throws -> WorkerThread {
      let rights = [
        RightBox(try ports.list[number].port.makeSendRight()), RightBox(try ports.list[number].port.makeSendRight()),
      ]
      return WorkerThread {
        for index in 0..<perPort {
          let refused = rights[index % 2].right.post(Int32(number * perPort + index), timeout: .seconds(20))
          check(refused == nil)
        }
      }
    }

    func setReceiver(_ set: SetBox) -> WorkerThread {
      WorkerThread {
        while let next = set.set.next(timeout: .seconds(20)) {
          check(next.member == self.ports.list[Int(next.id) / perPort].port.id)
          self.note(next.id)
        }
      }
    }

    func directReceiver(_ seed: UInt64) -> WorkerThread {
      WorkerThread {
        var numbers = SeededNumbers(seed: seed)
        while !self.isDone {
          let port = self.ports.list[numbers.number(0...(portCount - 1))]
          if let next = port.port.next(timeout: .milliseconds(numbers.number(0...1))) { self.note(next.id) }
        }
      }
    }

    /// In, out and across, until all is received; at the end every port is in both sets.
    func shuffle(_ seed: UInt64) {
      var numbers = SeededNumbers(seed: seed)
      for _ in 0..<300 where !isDone {
        let port = ports.list[numbers.number(0...(portCount - 1))]
        let (one, other) = numbers.chance(50) ? (sets[0], sets[1]) : (sets[1], sets[0])
        let error = refusal { () throws(PortError) in
          switch numbers.number(0...3) {
          case 0: try one.set.extract(port.port)
          case 1: try one.set.move(port.port, to: other.set)
          case 2: try port.port.move(into: one.set)
          default: try one.set.insert(port.port)
          }
        }
        check([nil, .notInSet, .alreadyInSet].contains(error))
      }
      for set in sets { for port in ports.list { _ = try? set.set.insert(port.port) } }
    }
  }

  @Test(arguments: SeededNumbers.seeds)
  func eachMessageComesOnce(seed: UInt64) throws {
    let stage = try Stage()
    var threads = try (0..<Self.portCount).map { try stage.sender($0) }
    let receivers = [
      stage.setReceiver(stage.sets[0]), stage.setReceiver(stage.sets[0]), stage.setReceiver(stage.sets[1]),
    ]
    threads.append(stage.directReceiver(seed))
    stage.shuffle(seed)
    check(
      stage.seen.wait(until: Deadline(after: .seconds(20)), while: { $0.count < stage.total }),
      "\(stage.seen.withLock { $0.count }) of \(stage.total) messages came, seed \(seed)")
    for set in stage.sets { set.set.destroy() }
    for thread in threads + receivers { thread.join() }
    check(stage.seen.withLock { $0.values.allSatisfy { $0 == 1 } })
    for port in stage.ports.list { check(try port.port.waiting() == nil && port.port.status().setCount == 0) }
  }

  /// Ports are destroyed and handed on while threads wait on them, on two sets, and send.
  @Test(arguments: SeededNumbers.seeds)
  func portsComeAndGo(seed: UInt64) throws {
    let sets = [SetBox(try PortSet()), SetBox(try PortSet())]
    let receivers = sets.map { set in WorkerThread { while set.set.next(timeout: .seconds(20)) != nil {} } }
    var numbers = SeededNumbers(seed: seed)
    for round in 0..<200 {
      let box = PortBox(try ReceiveRight())
      let right = RightBox(try box.port.makeSendRight())
      let waiter = ResultThread { refusal { () throws(PortError) in while true { _ = try box.port.receive() } } }
      for set in sets where numbers.chance(70) { try set.set.insert(box.port) }
      let sender = WorkerThread { while right.right.post(1, timeout: .zero) != .deadName {} }
      for _ in 0..<numbers.number(0...200) { _ = right.right.isDeadName }
      if round % 2 == 0 {
        try box.port.destroy()
      } else {
        let heir = try box.port.transfer()
        check(eventually { heir.waiting() != nil })
      }
      check(waiter.value() == .portChanged)
      sender.join()
    }
    for set in sets {
      check(set.set.members.isEmpty)
      set.set.destroy()
    }
    for receiver in receivers { receiver.join() }
  }

  @Test func nothingIsLeftOpen() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      for seed: UInt64 in 1...2 {
        try PortSetStormTests().eachMessageComesOnce(seed: seed)
        try PortSetStormTests().portsComeAndGo(seed: seed)
      }
      try NoSendersTests().bothPortsAreInUse()
      try NoSendersTests().destroyedWhileArmed()
      try DeadNameTests().portDeletedWakes()
      try DeadNameTests().fiveWays()
      try WaiterTests().movedUnderWaiters()
      checkCensus(before)
    }
  }
}
