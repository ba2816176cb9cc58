import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

@Suite struct FairnessTests {
  private final class Senders: Sendable {
    let rights: [RightBox]
    init(_ rights: [RightBox]) { self.rights = rights }
  }

  /// Every wire is full at each receive, so how fast the senders run does not matter.
  @Test("C33: of four endless senders each gets 15 to 35 percent of a slow receiver")
  func fourEndlessSenders() throws {
    let port = try ReceiveRight()
    let senders = Senders(try (0..<4).map { _ in RightBox(try port.makeSendRight()) })
    let stop = Atomic(false)
    let threads = (0..<4 as Range<Int>).map { number in
      WorkerThread {
        while !stop.load(ordering: .relaxed) {
          if senders.rights[number].right.post(Int32(number), timeout: .seconds(5)) == .deadName { return }
        }
      }
    }
    var counts = [0, 0, 0, 0]
    let deadline = Deadline(after: .seconds(20))
    for _ in 0..<400 {
      // Slow: it waits until every sender has mail in the queue.
      while senders.rights.contains(where: { (try? $0.right.end.socket.unreadByPeer()) == 0 }), !deadline.hasPassed {}
      guard let next = port.next() else { break }
      counts[Int(next.id)] += 1
    }
    stop.store(true, ordering: .relaxed)
    while let _ = port.waiting() {}
    port.destroyed()
    for thread in threads { thread.join() }
    #expect(counts.reduce(0, +) == 400 && counts.allSatisfy { (60...140).contains($0) }, "\(counts)")
  }

  /// They stand in one line, and nobody overtakes.
  @Test("C33: of four endless senders that share one right each gets 15 to 35 percent as well")
  func fourEndlessSendersOnOneRight() throws {
    let port = try ReceiveRight()
    let box = RightBox(try port.makeSendRight())
    let stop = Atomic(false)
    let threads = (0..<4 as Range<Int>).map { number in
      WorkerThread {
        while !stop.load(ordering: .relaxed) {
          if box.right.post(Int32(number), timeout: .seconds(5)) == .deadName { return }
        }
      }
    }
    var counts = [0, 0, 0, 0]
    for _ in 0..<400 {
      check(eventually { box.right.end.queue.withLock { $0.waiterCount } == 4 })
      guard let next = port.next() else { break }
      counts[Int(next.id)] += 1
    }
    stop.store(true, ordering: .relaxed)
    while let _ = port.waiting() {}
    port.destroyed()
    for thread in threads { thread.join() }
    #expect(counts.reduce(0, +) == 400 && counts.allSatisfy { (60...140).contains($0) }, "\(counts)")
  }
}
