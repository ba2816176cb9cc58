import LinuxSystem
import PortKit
import Synchronization
import TestSupport
import Testing

@testable import LoopCore

/// One port, several loops in threads of their own: each waits on a set with the port in it.
@Suite struct SharedPortTests {
  private final class SetBox: Sendable {
    let set: PortSet

    init(of port: PortBox) throws {
      let set = try PortSet()
      try set.insert(port.port)
      self.set = set
    }

    /// Runs this thread's loop with one message a turn, until it is stopped.
    func runLoop(_ handle: @escaping (Int32) -> Void) {
      let source = RunLoop.DescriptorSource(set.pollDescriptor) { [set = self] in
        if let message = try? set.set.receive(timeout: .zero) { handle(message.id) }
      }
      RunLoop.current.add(source, to: .default)
      RunLoop.current.run()
      source.invalidate()
    }
  }

  /// What was handled, by loop.
  private final class Tally: Sendable {
    let seen = Monitor<[[Int32]]>([[], []])

    func note(_ id: Int32, _ loop: Int) {
      seen.withLock { $0[loop].append(id) }
      seen.notifyAll()
    }

    func waits(until isMet: ([[Int32]]) -> Bool) -> Bool {
      seen.wait(until: Deadline(after: .seconds(20)), while: { !isMet($0) })
    }
  }

  /// A thread with a loop that takes one message a turn, until it is stopped.
  private struct Worker {
    let thread: WorkerThread
    let remote: Monitor<RunLoop.Remote?>

    init(_ number: Int, _ port: PortBox, _ tally: Tally) throws {
      let box = try SetBox(of: port)
      let place = Monitor<RunLoop.Remote?>(nil)
      remote = place
      thread = WorkerThread {
        place.withLock { $0 = RunLoop.current.remote }
        place.notifyAll()
        box.runLoop { tally.note($0, number) }
        box.set.destroy()
      }
      place.wait(until: Deadline(after: .seconds(5)), while: { $0 == nil })
    }

    func stop() {
      remote.withLock { $0 }?.stop()
      thread.join()
    }
  }

  @Test("V9: what a loop took in hand before it stopped is another loop's to handle")
  func whatOneLoopLeaves() throws {
    let port = PortBox(try ReceiveRight())
    let boxes = [try SetBox(of: port), try SetBox(of: port)]
    let rights = try (0..<2).map { _ in RightBox(try port.port.makeSendRight()) }
    for (id, box) in rights.enumerated() { try box.right.send(Message(id: Int32(id + 1))).get() }
    for (number, box) in boxes.enumerated() {
      let handled = try onLoopThread { loop in
        var ids: [Int32] = []
        box.runLoop { id in
          ids.append(id)
          loop.stop()
        }
        return ids
      }
      // The first one had to look at both to know which is older.
      #expect(handled == [Int32(number + 1)])
    }
  }

  /// Senders are in step with the loops, as their queues hold two messages each. Two wires, so that one loop may have
  /// taken in hand what the other one is to handle.
  @Test("V9: two loops share a port; each message is handled once, both have their part, none is lost with a loop")
  func twoLoops() throws {
    let port = PortBox(try ReceiveRight())
    try port.port.setQueueLimit(2)
    let tally = Tally()
    let workers = try (0..<2).map { try Worker($0, port, tally) }
    let rights = try (0..<2).map { _ in RightBox(try port.port.makeSendRight()) }
    let stop = Atomic(false)
    let sent = Monitor<[Int32]>([])
    let senders = (0..<2 as Range<Int32>).map { number in
      WorkerThread {
        var id = number
        while !stop.load(ordering: .relaxed) {
          switch rights[Int(number)].right.send(Message(id: id), timeout: .seconds(20)) {
          case .sent: sent.withLock { $0.append(id) }
          case .returned(_, let error): Issue.record(error)
          }
          id += 2
        }
      }
    }
    #expect(tally.waits { $0.allSatisfy { $0.count >= 1000 } })
    let shares = tally.seen.withLock { $0.map(\.count) }
    // Both ran for as long.
    #expect(shares.min()! * 10 >= shares.max()!, "\(shares)")
    workers[0].stop()
    let atStop = tally.seen.withLock { $0[0].count }
    #expect(tally.waits { $0[1].count >= shares[1] + 1000 })
    stop.store(true, ordering: .relaxed)
    for sender in senders { sender.join() }
    let all = sent.withLock { $0.sorted() }
    #expect(tally.waits { $0[0].count + $0[1].count >= all.count })
    workers[1].stop()
    let seen = tally.seen.withLock { $0 }
    #expect(seen[0].count == atStop && (seen[0] + seen[1]).sorted() == all)
    for number in 0..<2 as Range<Int32> {
      for list in seen {
        let own = list.filter { $0 % 2 == number }
        #expect(own == own.sorted(), "the messages of one right came out of order")
      }
    }
  }
}
