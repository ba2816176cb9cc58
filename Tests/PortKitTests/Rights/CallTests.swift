import LinuxSystem
import PortKit
import Synchronization
import TestSupport
import Testing

@Suite struct CallTests {
  @Test func aCallIsAnsweredOnItsWire() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let service = EchoThread(consume port)
    for value in UInt8(0)..<3 {
      let reply = try right.call(Message(id: 7, body: [value]), timeout: .seconds(5)).get()
      #expect(reply.id == 8)
      let bytes = bytes(of: reply)
      #expect(bytes == [value])
    }
    service.stop(right)
  }

  @Test func aDroppedReplyRightEndsTheCall() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let box = PortBox(consume port)
    let dropper = WorkerThread { _ = try? box.port.receive(timeout: .seconds(5)) }
    #expect(ending(right.call(Message(id: 1), timeout: .seconds(5))) == .replyDropped)
    dropper.join()
  }

  @Test func aDyingPortEndsTheCall() throws {
    let right: SendRight
    do {
      let port = try ReceiveRight()
      right = try port.makeSendRight()
    }
    #expect(ending(right.call(Message(id: 1), timeout: .seconds(5))) == .deadName)
    let isDead = right.isDeadName
    #expect(isDead)
  }

  @Test func aCallWithoutAnswerTimesOutAndItsLateReplyReachesNobody() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    #expect(ending(right.call(Message(id: 1), timeout: .milliseconds(10))) == .timedOut)
    var first = try port.receive(timeout: .seconds(5))
    try first.takeReply()!.send(Message(id: 101)).get()
    let box = PortBox(consume port)
    let second = WorkerThread {
      guard var message = try? box.port.receive(timeout: .seconds(5)) else { return }
      _ = message.takeReply()?.send(Message(id: 102))
    }
    let reply = try right.call(Message(id: 2), timeout: .seconds(5)).get()
    #expect(reply.id == 102)
    second.join()
  }

  @Test func manyThreadsCallOnOneRight() throws {
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    let service = EchoThread(consume port)
    let wrong = Atomic(0)
    let threads = (0..<4).map { thread in
      WorkerThread {
        for round in 0..<500 {
          let sent = [UInt8(thread), UInt8(round & 255), UInt8(round >> 8)]
          guard let reply = try? right.right.call(Message(id: 7, body: sent), timeout: .seconds(5)).get(),
            bytes(of: reply) == sent
          else {
            wrong.add(1, ordering: .relaxed)
            return
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(wrong.load(ordering: .relaxed) == 0)
    service.stop(right.right)
  }

  @Test func aReplyRightThatMovesOnIsAnsweredFromThere() throws {
    let front = try ReceiveRight()
    let back = try ReceiveRight()
    let toFront = try front.makeSendRight()
    let toBack = RightBox(try back.makeSendRight())
    let frontBox = PortBox(consume front)
    let forwarder = WorkerThread {
      guard var request = try? frontBox.port.receive(timeout: .seconds(5)), let reply = request.takeReply() else {
        return
      }
      var forward = Message(id: request.id, body: request.body)
      forward.setReply(reply)
      _ = toBack.right.send(forward)
    }
    let service = EchoThread(consume back)
    let reply = try toFront.call(Message(id: 7, body: [42]), timeout: .seconds(5)).get()
    let body = bytes(of: reply)
    #expect(body == [42])
    forwarder.join()
    service.stop(toBack.right)
  }

  @Test func aReplyRightOutlivesItsPort() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let box = PortHolder(consume port)
    let answerer = WorkerThread {
      guard let reply = box.takeRequestAndDestroyPort() else { return }
      _ = reply.send(Message(id: 9))
    }
    let reply = try right.call(Message(id: 1), timeout: .seconds(5)).get()
    #expect(reply.id == 9)
    answerer.join()
  }

  @Test func theHundredAndTwentyNinthCallIsRefusedWhole() throws {
    let port = try ReceiveRight()
    try port.setQueueLimit(Limits.callsPerWire + 1)
    let right = try port.makeSendRight()
    for _ in 0..<Limits.callsPerWire {
      #expect(ending(right.call(Message(id: 1), timeout: .milliseconds(0))) == .timedOut)
    }
    switch right.call(Message(id: 5, body: [1, 2]), timeout: .zero) {
    case .returned(let message, let error):
      #expect(error == .tooManyCalls(limit: Limits.callsPerWire))
      #expect(message.id == 5 && message.body.count == 2)
    default: Issue.record("not refused")
    }
    // The service answers; the late replies make room again.
    for _ in 0..<Limits.callsPerWire {
      var request = try port.receive(timeout: .seconds(5))
      try request.takeReply()!.send(Message(id: 2)).get()
    }
    #expect(ending(right.call(Message(id: 1), timeout: .zero)) == .timedOut)
  }
}
