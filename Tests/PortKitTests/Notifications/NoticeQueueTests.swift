import Synchronization
import TestSupport
import Testing

@testable import PortKit

@Suite struct NoticeQueueTests {
  @Test func inOrderAndCounted() {
    var random = seed("NoticeQueueTests")
    var queue = NoticeQueue()
    var model: [PortNotification] = []
    for number in 0..<5000 as Range<UInt64> {
      if random.chance(55) {
        let request = DeadNameRequest(number: number)
        let kinds: [PortNotification] = [.sendOnce, .noSenders(makeSendCount: 3), .deadName(request)]
        let notice = kinds.randomElement(using: &random)!
        queue.append(notice)
        model.append(notice)
      } else {
        check(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      }
      check(queue.isEmpty == model.isEmpty && queue.sendOnceCount == model.count { $0 == .sendOnce })
      check(queue.hasNoSenders == model.contains(where: \.isNoSenders))
    }
    queue.removeAll()
    check(queue.isEmpty && queue.sendOnceCount == 0 && !queue.hasNoSenders && queue.popFirst() == nil)
  }

  /// Requests for one right fire in the order in which they were made, however many there are.
  @Test func manyRequestsForOneRight() throws {
    let own = try ReceiveRight()
    let holder = PortHolder(try ReceiveRight())
    let port = holder.take()!
    let right = try port.makeSendRight()
    let requests = try (0..<5000).map { _ in try right.requestDeadNameNotification(to: own) }
    port.destroyed()
    for request in requests { check(own.next()?.notification == .deadName(request)) }
    check(own.waiting() == nil)
  }

  /// A right does not remember ports that are gone, nor what was told.
  @Test func aRightForgetsOldRequests() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let lasting = try ReceiveRight()
    let request = try right.requestDeadNameNotification(to: lasting)
    for _ in 0..<500 {
      let target = try ReceiveRight()
      _ = try right.requestDeadNameNotification(to: target)
    }
    check(right.end.watches.count <= 17, "\(right.end.watches.count)")
    port.destroyed()
    check(lasting.next()?.notification == .deadName(request))
    for _ in 0..<500 {
      let told = try right.requestDeadNameNotification(to: lasting)
      check(lasting.next()?.notification == .deadName(told))
    }
    check(right.end.watches.count <= 17, "\(right.end.watches.count)")
  }

  @Test func aFullRightForgetsPortsThatWaitedForRoom() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    _ = right.fill(size: 1)
    let lasting = try ReceiveRight()
    let request = try right.requestSendPossibleNotification(to: lasting)
    for _ in 0..<500 {
      let target = try ReceiveRight()
      _ = try right.requestSendPossibleNotification(to: target)
    }
    check(right.end.possible.withLock { $0?.count ?? 0 } <= 17)
    check(port.waiting() != nil)
    check(lasting.next()?.notification == .sendPossible(request))
  }
}
