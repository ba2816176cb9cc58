import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// What handlers of requests may do, and who may handle them.
@Suite struct HandlerTests {
  /// Hands each request on to `target`; answers with what comes from there, or drops it.
  private static func forward(_ port: PortBox, to target: RightBox, timeout: Duration?) {
    while var request = try? port.port.receive(timeout: .seconds(10)), request.id != 0 {
      guard let reply = request.takeReply() else { continue }
      if case .reply(let answer) = target.right.call(Message(id: 2, body: request.body), timeout: timeout) {
        _ = reply.send(Message(id: 3, body: answer.body))
      }
    }
  }

  /// A calls B, whose handler calls A.
  @Test func aCallBackIntoTheCallerWorksWithAnotherThread() throws {
    let a = PortBox(try ReceiveRight())
    let b = PortBox(try ReceiveRight())
    let toA = RightBox(try a.port.makeSendRight())
    let toB = RightBox(try b.port.makeSendRight())
    let bServer = WorkerThread { Self.forward(b, to: toA, timeout: .seconds(60)) }
    let echo = WorkerThread {
      guard var request = try? a.port.receive(timeout: .seconds(60)) else { return }
      let answer = Message(id: 9, body: request.body)
      _ = request.takeReply()?.send(answer)
    }
    check(Ending(toB.right.call(Message(id: 1, body: [7]), timeout: .seconds(60))) == .reply(3, [7]))
    check(toB.right.post(0) == nil)
    bServer.join()
    echo.join()
  }

  /// Without one both wait for each other, as in Mach; nothing in the library is locked meanwhile, so whatever ends one
  /// of the calls ends both: here the end of A's port.
  @Test func aCircleOfCallsEndsWithAnyOfThem() throws {
    let a = PortBox(try ReceiveRight())
    let b = PortBox(try ReceiveRight())
    let toA = RightBox(try a.port.makeSendRight())
    let toB = RightBox(try b.port.makeSendRight())
    let bServer = WorkerThread { Self.forward(b, to: toA, timeout: nil) }
    let ender = WorkerThread {
      let descriptor = a.port.pollDescriptor
      check((try? waitForReadiness(of: descriptor, .readable, until: Deadline(after: .seconds(5)))) == true)
      // Rights can be used meanwhile, and say what they know.
      check(!toA.right.isDeadName && !toB.right.isDeadName && toA.right.lateReplies == 0)
      check((try? a.port.destroy()) != nil)
    }
    check(Ending(toB.right.call(Message(id: 1, body: [7]))) == .failed(.replyDropped))
    check(toB.right.post(0) == nil)
    bServer.join()
    ender.join()
  }

  @Test func aCallbackMayCallAndWaitOnItsOwnRight() throws {
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    let service = EchoThread(consume port)
    let endings = Endings()
    right.right.call(Message(id: 7, body: [1])) { outcome in
      endings.add(outcome)
      endings.add(right.right.call(Message(id: 8, body: [2]), timeout: .seconds(5)))
      right.right.call(Message(id: 9, body: [3])) { endings.add($0) }
    }
    #expect(endings.wait(for: 3) == [.reply(8, [1]), .reply(9, [2]), .reply(10, [3])])
    service.stop(right.right)
  }

  @Test func aCallbackThatWaitsHoldsUpNoOtherRightAndNoTask() async throws {
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    let other = RightBox(try port.makeSendRight())
    let service = EchoThread(consume port)
    let endings = Endings()
    let isFree = Flag()
    right.right.call(Message(id: 1)) { outcome in
      isFree.wait()
      endings.add(outcome)
    }
    other.right.call(Message(id: 2)) { outcome in
      endings.add(outcome)
      isFree.raise()
    }
    #expect(await right.ending(4) == .reply(5, []))
    let all = await onThread { endings.wait(for: 2) }
    #expect(all == [.reply(3, []), .reply(2, [])])
    await onThread { service.stop(right.right) }
  }

  @Test func aReplyThatComesFromAnotherThreadLater() throws {
    let port = PortBox(try ReceiveRight())
    let right = RightBox(try port.port.makeSendRight())
    let ending = Endings()
    let caller = WorkerThread { ending.add(right.right.call(Message(id: 1), timeout: .seconds(5))) }
    let reply = port.takeReply()!
    // Others are served meanwhile.
    right.right.call(Message(id: 2)) { ending.add($0) }
    try port.takeReply()!.take()!.send(Message(id: 20)).get()
    #expect(ending.wait(for: 1) == [.reply(20, [])])
    let later = WorkerThread { _ = reply.take()?.send(Message(id: 10)) }
    #expect(ending.wait(for: 2) == [.reply(20, []), .reply(10, [])])
    later.join()
    caller.join()
  }

  @Test("V9: several threads receive from one port, each message goes to one of them")
  func severalThreadsReceive() throws {
    let port = PortBox(try ReceiveRight())
    let rights = try (0..<3).map { _ in RightBox(try port.port.makeSendRight()) }
    let seen = Monitor<[Int32]>([])
    let threads = (0..<4).map { _ in
      WorkerThread {
        while let message = try? port.port.receive(timeout: .seconds(10)), message.id != 0 {
          seen.withLock { $0.append(message.id) }
        }
      }
    }
    for id in Int32(1)...300 { check(rights[Int(id) % 3].right.post(id) == nil) }
    for _ in threads { check(rights[0].right.post(0) == nil) }
    for thread in threads { thread.join() }
    #expect(seen.withLock { $0.sorted() } == Array(1...300))
  }
}
