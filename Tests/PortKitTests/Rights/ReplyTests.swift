import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// Rights to reply: what becomes of them when they are dropped, moved, or outlive their port.
@Suite struct ReplyTests {
  private final class Service: Sendable {
    let thread: WorkerThread

    init(_ port: consuming ReceiveRight, _ body: @escaping @Sendable (consuming SendOnceRight, PortHolder) -> Void) {
      let holder = PortHolder(consume port)
      thread = WorkerThread {
        guard let port = holder.take(), var request = try? port.receive(timeout: .seconds(5)),
          let reply = request.takeReply()
        else { return }
        body(reply, PortHolder(port))
      }
    }
  }

  @Test func aReplyRightOfADestroyedPortCanMoveOn() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let back = try ReceiveRight()
    let toBack = RightBox(try back.makeSendRight())
    let service = Service(port) { reply, holder in
      _ = holder.take()
      var forward = Message(id: 5)
      forward.setReply(reply)
      _ = toBack.right.send(forward)
    }
    let box = PortBox(consume back)
    let answerer = WorkerThread {
      guard var request = try? box.port.receive(timeout: .seconds(5)) else { return }
      _ = request.takeReply()?.send(Message(id: 6))
    }
    check(try right.call(Message(id: 1), timeout: .seconds(5)).get().id == 6)
    service.thread.join()
    answerer.join()
  }

  @Test func aPromotedReplyRightThatIsDroppedEndsTheCall() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let service = Service(port) { reply, holder in
      var forward = Message(id: 5)
      forward.setReply(reply)
      do {
        // Nobody receives it: it dies with its port.
        let nowhere = try ReceiveRight()
        _ = try nowhere.makeSendRight().send(forward)
      } catch {}
      _ = holder.take()
    }
    check(ending(right.call(Message(id: 1), timeout: .seconds(5))) == .replyDropped)
    service.thread.join()
  }

  @Test func aReplyMayAskForAReply() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let mine = try ReceiveRight()
    let once = OnceBox(try mine.makeSendOnceRight())
    let service = Service(port) { reply, _ in
      var answer = Message(id: 2)
      if let right = once.take() { answer.setReply(right) }
      _ = reply.send(answer)
    }
    var answer = try right.call(Message(id: 1), timeout: .seconds(5)).get()
    check(answer.id == 2 && answer.wantsReply)
    try answer.takeReply()!.send(Message(id: 3)).get()
    check(mine.next() == Received(id: 3))
    service.thread.join()
  }

  @Test func aReplyBringsRights() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let target = try ReceiveRight()
    let gift = RightBox(try target.makeSendRight())
    let service = Service(port) { reply, _ in
      var answer = Message(id: 2)
      if let copy = try? gift.right.copy() { answer.attach(copy) }
      _ = reply.send(answer)
    }
    var answer = try right.call(Message(id: 1), timeout: .seconds(5)).get()
    check(try answer.takeSendRight(at: 0).post(4) == nil)
    check(target.next() == Received(id: 4))
    service.thread.join()
  }

  /// A reply whose send returned reaches its caller although the port goes at the same moment. (Other owed replies
  /// make the going take long enough to be met.)
  @Test func aReplyThatWasSentArrivesWhateverBecomesOfThePort() throws {
    for round in 0..<100 {
      let holder = PortHolder(try ReceiveRight())
      let port = holder.take()!
      let right = RightBox(try port.makeSendRight())
      let end = Monitor<PortError?>(.timedOut)
      let caller = WorkerThread {
        let how = ending(right.right.call(Message(id: 1), timeout: .seconds(5)))
        end.withLock { $0 = how }
      }
      let reply = OnceBox(try replyRight(port))
      var others: [OnceBox] = []
      for number in 0..<UInt64(100) {
        check(right.right.inject(FrameHeader(kind: .call, sequence: number).encoded()))
        others.append(OnceBox(try replyRight(port)))
      }
      let sent = Atomic(false)
      let isReady = Atomic(false)
      let answerer = WorkerThread {
        guard let reply = reply.take() else { return }
        isReady.store(true, ordering: .sequentiallyConsistent)
        // Each round meets the going at another point.
        for _ in 0..<(round * 100) { _ = isReady.load(ordering: .sequentiallyConsistent) }
        if error(of: reply.send(Message(id: 2))) == nil { sent.store(true, ordering: .sequentiallyConsistent) }
      }
      while !isReady.load(ordering: .sequentiallyConsistent) {}
      port.destroyed()
      answerer.join()
      caller.join()
      let how = end.withLock { $0 }
      check(sent.load(ordering: .sequentiallyConsistent) && how == nil, "ended with \(String(describing: how))")
      _ = consume others
    }
  }

  private func replyRight(_ port: borrowing ReceiveRight) throws -> SendOnceRight {
    var request = try port.receive(timeout: .seconds(5))
    return request.takeReply()!
  }

  /// The same for a right that is dropped: the caller hears of it at once, whoever else holds a reply right.
  @Test func aDroppedReplyEndsItsCallWhateverBecomesOfThePort() throws {
    for _ in 0..<200 {
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      let service = Service(port) { reply, holder in
        let destroyer = WorkerThread { _ = holder.take() }
        _ = consume reply
        destroyer.join()
      }
      let end = ending(right.call(Message(id: 1), timeout: .seconds(5)))
      service.thread.join()
      check(end == .replyDropped || end == .deadName, "ended with \(String(describing: end))")
    }
  }

  /// A caller over the limit that its own library keeps is no honest one.
  @Test func aCallOverTheLimitEndsTheWire() throws {
    let port = try ReceiveRight()
    let bad = try port.makeSendRight()
    var held: [OnceBox] = []
    for number in 0...UInt64(Limits.callsPerWire) {
      check(bad.inject(FrameHeader(kind: .call, sequence: number).encoded()))
    }
    while var request = try? port.receive(timeout: .zero) { held.append(OnceBox(request.takeReply()!)) }
    check(held.count == Limits.callsPerWire && bad.isDeadName)
    check(port.faults == [.unexpected("a call over the limit")])
  }

  /// An honest caller that always has all its calls out is not taken for such a one.
  @Test func aCallerAtTheLimitKeepsItsWire() throws {
    let port = try ReceiveRight()
    try port.setQueueLimit(Limits.callsPerWire)
    let right = RightBox(try port.makeSendRight())
    let box = PortBox(consume port)
    let servers = (0..<4).map { _ in
      WorkerThread {
        while var request = try? box.port.receive(timeout: .seconds(5)), request.id != 0 {
          _ = request.takeReply()?.send(Message(id: 2))
        }
      }
    }
    for _ in 0..<(Limits.callsPerWire - 1) { _ = right.right.call(Message(id: 1), timeout: .zero) }
    let failures = Atomic(0)
    let callers = (0..<4).map { _ in
      WorkerThread {
        for _ in 0..<300 {
          let end = ending(right.right.call(Message(id: 1), timeout: .seconds(5)))
          if end != nil && end != .tooManyCalls(limit: Limits.callsPerWire) { failures.add(1, ordering: .relaxed) }
        }
      }
    }
    for caller in callers { caller.join() }
    for _ in servers { check(right.right.post(0) == nil) }
    for server in servers { server.join() }
    check(failures.load(ordering: .relaxed) == 0 && box.port.faults.isEmpty)
  }

  /// Answers to calls that nobody made do not hold a caller past its deadline: what an honest peer can owe is read
  /// then, and no more.
  @Test func aPeerThatNeverStopsDoesNotHoldACaller() throws {
    let pair = try PacketSocket.pair()
    let right = SendRight(adopting: PacketSocket(try pair.first.descriptor.duplicate()))
    let frame = FrameHeader(kind: .replyDropped, sequence: 5).encoded()
    var queued = 0
    while try pair.second.send(head: frame, tail: nil, 0..<0, descriptors: []) { queued += 1 }
    check(queued > Limits.callsPerWire)
    check(ending(right.call(Message(id: 1), timeout: .zero)) == .timedOut)
    var receiver = PacketReceiver()
    var left = 0
    while case .packet = try receiver.receive(from: pair.first) { left += 1 }
    // Once before the request, for news of the port, and once for the reply.
    check(queued - left == 2 * Limits.callsPerWire)
  }

  /// An earlier holder of the wire may have set this; the call must still sleep until its answer comes.
  @Test func aNonBlockingSocketStillWaits() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    RawSocket.makeNonBlocking(right.end.socket.descriptor.number)
    let service = EchoThread(consume port)
    check(try right.call(Message(id: 1)).get().id == 2)
    service.stop(right)
  }
}
