import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Requests of asynchronous calls and what threads send stand in one line on one right (Q4, Q6).
@Suite struct CallOrderTests {
  private final class Scene {
    let port: PortBox
    let right: RightBox
    let endings = Endings()

    /// The queue is full.
    init() throws {
      port = PortBox(try ReceiveRight())
      right = RightBox(try port.port.makeSendRight())
      for _ in 0..<5 { check(right.right.post(0, timeout: .zero) == nil) }
    }

    func callInLine(_ id: Int32, timeout: Duration? = nil) {
      let waiting = right.right.end.queue.withLock { $0.waiterCount }
      right.right.call(Message(id: id), timeout: timeout) { [endings] in endings.add($0) }
      check(right.right.end.queue.withLock { $0.waiterCount } == waiting + 1)
    }

    func postInLine(_ id: Int32) -> ResultThread<PortError?> {
      let right = self.right
      let waiting = right.right.end.queue.withLock { $0.waiterCount }
      let thread = ResultThread { right.right.post(id, timeout: .seconds(20)) }
      check(eventually { right.right.end.queue.withLock { $0.waiterCount } == waiting + 1 })
      return thread
    }

    func ids(_ count: Int) -> [Int32] { (0..<count).compactMap { _ in port.port.next()?.id } }
  }

  @Test("Q4: threads do not overtake asynchronous calls that wait, nor these them") func oneLine() throws {
    let scene = try Scene()
    scene.callInLine(1)
    let second = scene.postInLine(2)
    scene.callInLine(3)
    let fourth = scene.postInLine(4)
    let fifth = scene.postInLine(5)
    scene.callInLine(6)
    check(scene.right.right.post(7, timeout: .zero) == .timedOut)
    var batch = MessageBatch()
    batch.append(Message(id: 7))
    switch scene.right.right.send(batch, timeout: .zero) {
    case .sent: Issue.record("a batch overtook the line")
    case .returned(let rest, let error): check(rest.count == 1 && error == .timedOut)
    }
    check(scene.ids(11) == [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6])
    for thread in [second, fourth, fifth] { check(thread.value() == .some(nil)) }
    check(scene.endings.wait(for: 3) == [Ending](repeating: .failed(.replyDropped), count: 3))
    check(scene.right.right.post(8, timeout: .zero) == nil && scene.port.port.next()?.id == 8)
  }

  /// Who is given up lets the next in line go on, whoever that is.
  @Test func whoLeavesTheLineHoldsNobodyUp() async throws {
    let scene = try Scene()
    let right = scene.right
    let task = Task { await right.ending(1, timeout: nil) }
    await right.waitForQueue(1)
    let second = scene.postInLine(2)
    scene.callInLine(3)
    task.cancel()
    #expect(await task.value == .returned(1, [], .cancelled))
    check(scene.ids(7) == [0, 0, 0, 0, 0, 2, 3] && second.value() == .some(nil))
    check(scene.endings.wait(for: 1) == [.failed(.replyDropped)])
    // A thread before a call.
    for _ in 0..<5 { check(scene.right.right.post(0, timeout: .zero) == nil) }
    let late = ResultThread { right.right.post(4, timeout: .seconds(1)) }
    check(eventually { right.right.end.queue.withLock { $0.waiterCount } == 1 })
    right.right.call(Message(id: 5)) { [endings = scene.endings] in endings.add($0) }
    check(late.value() == .some(.timedOut))
    check(scene.ids(6) == [0, 0, 0, 0, 0, 5])
  }

  /// The thread before them leaves with room to spare: no packet is taken that would wake the reactor.
  @Test func aRaisedLimitLetsAllOfThemGo() throws {
    let scene = try Scene()
    let first = scene.postInLine(1)
    scene.callInLine(2)
    let third = scene.postInLine(3)
    scene.callInLine(4)
    try scene.port.port.setQueueLimit(100)
    check(first.value() == .some(nil) && third.value() == .some(nil))
    check(eventually { !scene.right.right.end.queue.withLock { $0.isSomebodyWaiting } })
    check(scene.ids(9) == [0, 0, 0, 0, 0, 1, 2, 3, 4])
  }

  @Test func aPortThatDiesEndsThemAll() throws {
    let scene = try Scene()
    scene.callInLine(1)
    let second = scene.postInLine(2)
    scene.callInLine(3)
    try scene.port.port.destroy()
    check(second.value() == .some(.deadName))
    check(Set(scene.endings.wait(for: 2)) == [.returned(1, [], .deadName), .returned(3, [], .deadName)])
    check(!scene.right.right.end.queue.withLock { $0.isSomebodyWaiting })
  }

  /// One thread begins each message after the one before it, the others only make the line long.
  @Test("Q6: what one thread sends and calls on a right arrives in that order") func theOrderOfOneThread() throws {
    let port = PortBox(try ReceiveRight())
    let right = RightBox(try port.port.makeSendRight())
    let total: Int32 = 4000
    let others = (0..<2).map { _ in
      WorkerThread { for _ in 0..<1000 { check(right.right.post(-1, timeout: .seconds(20)) == nil) } }
    }
    let driver = WorkerThread {
      var random = seed("CallOrderTests")
      for id in 0..<total {
        if random.chance(50) {
          // At most so many are out; the port drops what it takes.
          while right.right.end.calls.withLock({ $0.isFull }) { sched_yield() }
          right.right.call(Message(id: id), onEnd: { _ in })
        } else {
          check(right.right.post(id, timeout: .seconds(20)) == nil)
        }
      }
    }
    var ids: [Int32] = []
    for _ in 0..<(Int(total) + 2000) {
      guard let next = port.port.next() else { break }
      if next.id >= 0 { ids.append(next.id) }
    }
    for thread in others + [driver] { thread.join() }
    check(
      ids == Array(0..<total), "\(ids.count) of \(total), first wrong at \(ids.indices.first { ids[$0] != $0 } ?? -1)")
  }
}
