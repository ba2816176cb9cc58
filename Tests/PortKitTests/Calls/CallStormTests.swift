import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// Many callers of all kinds on one right.
@Suite struct CallStormTests {
  /// Answers from several threads, some at once, some after others, some never.
  private final class Service: Sendable {
    let port: PortBox
    private let threads: Monitor<[WorkerThread]>

    init(_ port: consuming ReceiveRight, threads count: Int, seed: UInt64) {
      let box = PortBox(consume port)
      self.port = box
      threads = Monitor(
        (0..<count).map { number in
          WorkerThread {
            var random = SeededNumbers(seed: seed &+ UInt64(number))
            Self.serve(box, &random)
          }
        })
    }

    private static func serve(_ box: PortBox, _ random: inout SeededNumbers) {
      var held: [(OnceBox, MessageBox)] = []
      while true {
        // Whoever waits for a held reply gets it when nothing else is to be done.
        guard var request = try? box.port.receive(timeout: held.isEmpty ? .seconds(300) : .zero) else {
          if held.isEmpty { return }
          give(held.removeFirst())
          continue
        }
        if request.id == 0 { break }
        let answer = MessageBox(Message(id: 2, body: request.body))
        guard let reply = request.takeReply() else { continue }
        switch random.number(0...9) {
        case 0: continue
        case 1, 2, 3: held.append((OnceBox(reply), answer))
        default: if let answer = answer.take() { _ = reply.send(answer) }
        }
        if held.count > 3 { give(held.remove(at: random.number(0...held.count - 1))) }
      }
      for one in held { give(one) }
    }

    private static func give(_ one: (OnceBox, MessageBox)) {
      if let reply = one.0.take(), let answer = one.1.take() { _ = reply.send(answer) }
    }

    func stop(_ right: borrowing SendRight) {
      let threads = threads.withLock { $0 }
      for _ in threads { _ = right.post(0) }
      for thread in threads { thread.join() }
    }
  }

  private static func number(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }

  @Test func sixteenThreadsAndManyTasksEachGetTheirOwnAnswer() async throws {
    let port = PortBox(try ReceiveRight())
    let right = RightBox(try port.port.makeSendRight())
    let servers = (0..<2).map { _ in
      WorkerThread {
        while var request = try? port.port.receive(timeout: .seconds(120)), request.id != 0 {
          let answer = Message(id: 2, body: request.body)
          _ = request.takeReply()?.send(answer)
        }
      }
    }
    let wrong = Atomic(0)
    let threads = (0..<16).map { thread in
      WorkerThread {
        for round in 0..<50 {
          let body = Self.number(thread * 1000 + round)
          let ending = Ending(right.right.call(Message(id: 1, body: body), timeout: .seconds(60)))
          if ending != .reply(2, body) { wrong.add(1, ordering: .relaxed) }
        }
      }
    }
    let failures = await withTaskGroup(of: Int.self) { group in
      for task in 0..<64 {
        group.addTask {
          var failures = 0
          for round in 0..<20 {
            let body = Self.number(20_000 + task * 100 + round)
            if await right.ending(1, body) != .reply(2, body) { failures += 1 }
          }
          return failures
        }
      }
      return await group.reduce(0, +)
    }
    await onThread { for thread in threads { thread.join() } }
    #expect(failures == 0 && wrong.load(ordering: .relaxed) == 0)
    check(right.right.lateReplies == 0 && !right.right.end.mayStillBeAnswered)
    for _ in servers { check(right.right.post(0) == nil) }
    await onThread { for server in servers { server.join() } }
  }

  @Test(arguments: SeededNumbers.seeds) func eachCallEndsExactlyOnce(seed: UInt64) async throws {
    var random = SeededNumbers(seed: seed)
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    let service = Service(consume port, threads: 2, seed: seed)
    let ends = Monitor<[Int: Int]>([:])
    let wrong = Atomic(0)
    let note: @Sendable (Int, Ending) -> Void = { number, ending in
      ends.withLock { $0[number, default: 0] += 1 }
      ends.notifyAll()
      switch ending {
      case .reply(2, Self.number(number)), .failed(.replyDropped), .failed(.cancelled), .failed(.timedOut): return
      case .returned(1, Self.number(number), .cancelled), .returned(1, Self.number(number), .timedOut): return
      case .returned(1, Self.number(number), .tooManyCalls): return
      default: wrong.add(1, ordering: .relaxed)
      }
    }
    let count = 600
    var tasks: [Task<Void, Never>] = []
    var threads: [WorkerThread] = []
    for index in 0..<count {
      let body = Self.number(index)
      let timeout: Duration = random.chance(20) ? .microseconds(random.number(0...500)) : .seconds(20)
      switch random.number(0...9) {
      case 0:
        threads.append(
          WorkerThread { note(index, Ending(right.right.call(Message(id: 1, body: body), timeout: timeout))) })
      case 1, 2: right.right.call(Message(id: 1, body: body), timeout: timeout) { note(index, Ending($0)) }
      default: tasks.append(Task { note(index, await right.ending(1, body, timeout: timeout)) })
      }
      if random.chance(40) { tasks.randomElement(using: &random)?.cancel() }
      if random.chance(10) { await Task.yield() }
    }
    for task in tasks { await task.value }
    let joined = threads
    await onThread {
      for thread in joined { thread.join() }
      ends.wait(until: Deadline(after: .seconds(20)), while: { $0.count < count })
    }
    #expect(ends.withLock { $0.count == count && $0.values.allSatisfy { $0 == 1 } })
    #expect(wrong.load(ordering: .relaxed) == 0)
    await onThread { service.stop(right.right) }
    // All were answered or dropped by now, so nothing is owed once it is read, by the reactor if it is just about to.
    check(
      waitUntil {
        right.right.end.readWaitingReplies()
        return !right.right.end.mayStillBeAnswered
      })
  }
}
