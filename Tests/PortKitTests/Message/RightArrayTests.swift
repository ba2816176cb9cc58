import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// More rights than one packet takes.
@Suite struct RightArrayTests {
  /// Each right is a send-once right to a port of its own place, so that a right at a wrong place shows.
  @Test(
    "C21: 0 to 4096 rights arrive complete and in order",
    arguments: [0, 1, 252, 253, 254, 1000, Limits.rightsPerMessage])
  func completeAndInOrder(count: Int) async {
    await #expect(processExitsWith: .success) { [count] in
      _ = try raiseDescriptorLimit()
      let before = openDescriptors()
      do {
        let port = try ReceiveRight()
        let target = try ReceiveRight()
        var message = Message(id: 1, body: [1, 2, 3])
        for _ in 0..<count { message.attach(try target.makeSendRight()) }
        var received = try pass(message, through: port)
        check(received.rightsCount == count && bytes(of: received) == [1, 2, 3])
        // Which wire is which: each was made after the one before it, and their cookies ascend with them.
        for index in 0..<count {
          check(try received.kind(ofRightAt: index) == .send)
          check(try received.takeSendRight(at: index).post(Int32(index)) == nil)
          check(target.next() == Received(id: Int32(index)))
        }
        check(target.makeSendCount == count && port.faults.isEmpty && target.faults.isEmpty)
      }
      checkCensus(before)
    }
  }

  @Test("C21: one right more than the limit is refused, and every right is still there")
  func oneTooMany() throws {
    let limit = Limits.rightsPerMessage
    let port = try ReceiveRight()
    var message = Message(id: 1)
    for _ in 0..<limit { message.attachNull() }
    message.attach(try port.makeSendOnceRight())
    switch try port.makeSendRight().send(message) {
    case .sent: Issue.record("not refused")
    case .returned(var message, let error):
      check(error == .tooManyRights(count: limit + 1, limit: limit) && message.rightsCount == limit + 1)
      check(try message.kind(ofRightAt: limit) == .sendOnce)
      try message.takeSendOnceRight(at: limit).send(Message(id: 2)).get()
      check(port.next() == Received(id: 2))
    }
    var full = Message(id: 1)
    for _ in 0..<limit { full.attachNull() }
    full.setReply(try port.makeSendOnceRight())
    let refusal = error(of: try port.makeSendRight().send(full))
    check(refusal == .tooManyRights(count: limit + 1, limit: limit))
  }

  /// Places tell rights apart: every third one leads to another port, and null lies between.
  @Test func placesAndKindsAreKeptInACarrier() throws {
    let port = try ReceiveRight()
    let targets = [PortBox(try ReceiveRight()), PortBox(try ReceiveRight())]
    var message = Message(id: 1)
    message.setReply(try targets[0].port.makeSendOnceRight())
    for index in 0..<300 {
      switch index % 3 {
      case 0: message.attachNull()
      case 1: message.attach(try targets[0].port.makeSendRight())
      default: message.attach(try targets[1].port.makeSendOnceRight())
      }
    }
    var received = try pass(message, through: port)
    check(received.wantsReply && received.rightsCount == 300)
    try received.takeReply()!.send(Message(id: 1000)).get()
    check(targets[0].port.next() == Received(id: 1000))
    for index in 0..<300 {
      let expected: [RightKind] = [.null, .send, .sendOnce]
      check(try received.kind(ofRightAt: index) == expected[index % 3])
      if index % 3 == 1 {
        check(try received.takeSendRight(at: index).post(Int32(index)) == nil)
        check(targets[0].port.next() == Received(id: Int32(index)))
      } else if index % 3 == 2 {
        try received.takeSendOnceRight(at: index).send(Message(id: Int32(index))).get()
        check(targets[1].port.next() == Received(id: Int32(index)))
      }
    }
  }

  @Test func callsAndRepliesCarryArraysToo() throws {
    let holder = PortHolder(try ReceiveRight())
    let port = holder.take()!
    let right = try port.makeSendRight()
    let box = PortBox(port)
    let service = WorkerThread {
      guard var request = try? box.port.receive(timeout: .seconds(5)), let reply = request.takeReply() else { return }
      var answer = Message(id: 2)
      for index in 0..<request.rightsCount {
        if let right = try? request.takeSendRight(at: index) { answer.attach(right) }
      }
      _ = reply.send(answer)
    }
    let target = try ReceiveRight()
    var request = Message(id: 1)
    for _ in 0..<400 { request.attach(try target.makeSendRight()) }
    var reply = try right.call(request, timeout: .seconds(5)).get()
    service.join()
    check(reply.rightsCount == 400)
    for index in [0, 252, 253, 399] {
      check(try reply.takeSendRight(at: index).post(Int32(index)) == nil && target.next() == Received(id: Int32(index)))
    }
  }

  @Test func aRefusedArrayComesBackWhole() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    _ = right.fill()
    let target = try ReceiveRight()
    var message = Message(id: 5)
    for _ in 0..<600 { message.attach(try target.makeSendRight()) }
    switch right.send(message, timeout: .zero) {
    case .sent: Issue.record("not refused")
    case .returned(var message, let error):
      check(error == .timedOut && message.rightsCount == 600)
      for index in 0..<600 {
        check(
          try message.takeSendRight(at: index).post(Int32(index)) == nil && target.next() == Received(id: Int32(index)))
      }
    }
  }
}
