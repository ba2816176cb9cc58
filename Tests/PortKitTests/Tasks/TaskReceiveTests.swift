import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// Tasks that wait for messages: in one line with threads, and without losing one when they are cancelled.
@Suite struct TaskReceiveTests {
  @Test func whatIsThereComesAtOnceAndWhatComesLaterIsWaitedFor() async throws {
    let box = PortBox(try ReceiveRight())
    let right = RightBox(try box.port.makeSendRight())
    check(right.right.post(1) == nil)
    #expect(await box.awaited(timeout: .zero) == .message(1))
    #expect(await box.awaited(timeout: .zero) == .failed(.timedOut))
    for id in 2...50 as ClosedRange<Int32> {
      async let next = box.awaited()
      await box.waitForLine(1)
      check(right.right.post(id) == nil)
      #expect(await next == .message(id))
    }
    #expect(await box.awaited(timeout: .milliseconds(20)) == .failed(.timedOut))
    check(box.port.mailbox.waiterCount == 0 && right.right.post(51) == nil)
    #expect(await box.awaited() == .message(51))
  }

  @Test("V9: tasks and threads are served in the order in which they came, one message each")
  func oneLine() async throws {
    let box = PortBox(try ReceiveRight())
    let rights = try (0..<2).map { _ in RightBox(try box.port.makeSendRight()) }
    for _ in 0..<20 {
      let first = Task { await box.awaited() }
      await box.waitForLine(1)
      let second = ResultThread { box.port.next(timeout: .seconds(20))?.id }
      await box.waitForLine(2)
      let third = Task { await box.awaited() }
      await box.waitForLine(3)
      let fourth = ResultThread { box.port.next(timeout: .seconds(20))?.id }
      await box.waitForLine(4)
      for id in 1...5 as ClosedRange<Int32> { check(rights[Int(id) % 2].right.post(id) == nil) }
      #expect(await first.value == .message(1))
      #expect(await third.value == .message(3))
      let seen = await onThread { [second.value(), fourth.value()] }
      check(seen == [.some(2), .some(4)] && box.port.next()?.id == 5)
    }
  }

  @Test func aCancelledTaskLeavesTheMessageInThePort() async throws {
    let box = PortBox(try ReceiveRight())
    let right = RightBox(try box.port.makeSendRight())
    let task = Task { await box.awaited() }
    await box.waitForLine(1)
    task.cancel()
    #expect(await task.value == .failed(.cancelled))
    check(box.port.mailbox.waiterCount == 0 && right.right.post(1) == nil)
    // Also where one is ready.
    let late = Task { () -> Awaited in
      while !Task.isCancelled { await Task.yield() }
      return await box.awaited()
    }
    late.cancel()
    #expect(await late.value == .failed(.cancelled))
    check(box.port.waiting() == Received(id: 1))
  }

  /// Cancelled while messages come in: each message is one task's or still in the port, in order.
  @Test func cancellationLosesNothing() async throws {
    let box = PortBox(try ReceiveRight())
    let right = RightBox(try box.port.makeSendRight())
    let total: Int32 = 300
    // Other tests may hold the threads of the pool for long.
    let end = Deadline(after: .seconds(120))
    let sender = WorkerThread { for id in 0..<total { check(right.right.post(id, timeout: .seconds(120)) == nil) } }
    var ids: [Int32] = []
    var cancelled = 0
    var random = seed("TaskReceiveTests")
    while ids.count < Int(total), !end.hasPassed {
      let task = Task { await box.awaited() }
      for _ in 0..<random.number(0...3) { await Task.yield() }
      task.cancel()
      switch await task.value {
      case .message(let id): ids.append(id)
      case .failed(let error):
        #expect(error == .cancelled)
        cancelled += 1
        // So that there is progress, whatever the scheduler does.
        if let next = box.port.waiting() { ids.append(next.id) }
      }
    }
    sender.join()
    #expect(ids == Array(0..<total))
    check(cancelled > 0 && box.port.waiting() == nil && box.port.mailbox.waiterCount == 0)
  }

  @Test("V8: a port that goes turns the tasks away that wait for it", arguments: [false, true])
  func thePortGoes(isTransferred: Bool) async throws {
    let box = PortBox(try ReceiveRight())
    let right = RightBox(try box.port.makeSendRight())
    let tasks = (0..<3).map { _ in Task { await box.awaited() } }
    await box.waitForLine(3)
    let heir = PortHolder(isTransferred ? try box.port.transfer() : try ReceiveRight())
    if !isTransferred { try box.port.destroy() }
    for task in tasks { #expect(await task.value == .failed(.portChanged)) }
    #expect(await box.awaited() == .failed(.portChanged))
    let end = right.right.post(2)
    check(end == (isTransferred ? nil : .deadName))
    if isTransferred { check(heir.take()!.next() == Received(id: 2)) }
  }

  /// A refused move gives nothing out while it lasts, and goes on afterwards.
  @Test func aPortThatComesBackGoesOn() async throws {
    let box = PortBox(try ReceiveRight())
    let right = RightBox(try box.port.makeSendRight())
    let task = Task { await box.awaited() }
    await box.waitForLine(1)
    do {
      let packed = try box.port.mailbox.pack(owner: box.port.owner)
      check(right.right.post(1) == nil)
      _ = consume packed
    }
    #expect(await task.value == .message(1))
  }

  @Test func noticesComeToTasksAsWell() async throws {
    let box = PortBox(try ReceiveRight())
    let other = try ReceiveRight()
    let watched = RightHolder(try other.makeSendRight())
    _ = try watched.watched(from: box.port)
    let first = Task { await box.awaited() }
    await box.waitForLine(1)
    watched.drop()
    #expect(await first.value == .message(65))
    let right = RightHolder(try box.port.makeSendRight())
    try box.port.requestNoSendersNotification(sync: 1)
    let second = Task { await box.awaited() }
    await box.waitForLine(1)
    right.drop()
    #expect(await second.value == .message(70))
  }

  @Test func manyTasksOnManyPorts() async throws {
    let boxes = try (0..<10).map { _ in PortBox(try ReceiveRight()) }
    let rights = try boxes.map { RightBox(try $0.port.makeSendRight()) }
    let sender = WorkerThread {
      for id in 0..<50 as Range<Int32> {
        for right in rights { check(right.right.post(id, timeout: .seconds(120)) == nil) }
      }
    }
    let sums = await withTaskGroup(of: Int32.self) { group in
      for box in boxes {
        for _ in 0..<5 {
          group.addTask {
            var sum: Int32 = 0
            for _ in 0..<10 { if case .message(let id) = await box.awaited() { sum += id } }
            return sum
          }
        }
      }
      return await group.reduce(0, +)
    }
    sender.join()
    #expect(sums == 10 * (0..<50).reduce(0, +))
  }

  @Test func nothingStaysOpen() async {
    await #expect(processExitsWith: .success) {
      // The reactor stays.
      _ = await PortBox(try ReceiveRight()).awaited(timeout: .milliseconds(1))
      let before = openDescriptors()
      for round in 0..<200 as Range<Int32> {
        let box = PortBox(try ReceiveRight())
        let right = try box.port.makeSendRight()
        let task = Task { await box.awaited() }
        await box.waitForLine(1)
        if round % 2 == 0 { check(right.post(round) == nil) } else { task.cancel() }
        let end = await task.value
        check(end == (round % 2 == 0 ? .message(round) : .failed(.cancelled)))
      }
      checkCensus(before)
    }
  }
}

/// How the wait of a task ended.
enum Awaited: Hashable, Sendable {
  case message(Int32)
  case failed(PortError)
}

extension PortBox {
  func awaited(timeout: Duration? = .seconds(60)) async -> Awaited {
    do throws(PortError) { return .message(try await port.nextMessage(timeout: timeout).id) } catch {
      return .failed(error)
    }
  }

  /// Returns when so many wait for the port.
  func waitForLine(_ count: Int) async {
    let deadline = Deadline(after: .seconds(5))
    while port.mailbox.waiterCount != count, !deadline.hasPassed { await Task.yield() }
  }
}
