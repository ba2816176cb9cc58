import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// The owner of a port is out of descriptors, or nearly.
@Suite struct ShortageTests {
  /// A limit of 400 keeps the numbers from 300 on for other things than copies.
  @Test func theLastDescriptorsAreNotForCopies() async {
    await #expect(processExitsWith: .success) {
      let port = try ReceiveRight()
      let good = try port.makeSendRight()
      let right = try port.makeSendRight()
      let copy = try right.copy()
      let gift = try ReceiveRight()
      var message = Message(id: 2)
      for _ in 0..<10 { message.attach(try gift.makeSendRight()) }
      check(copy.post(1) == nil)
      // Sent before the shortage, or the numbers that it frees would end it.
      try good.send(message).get()
      let filler = try DescriptorFiller(limit: 400, room: 30)
      // Rights of others still arrive.
      var received = try port.receive(timeout: .seconds(5))
      check(received.id == 2 && port.stoppedWires == 1 && !copy.isDeadName)
      for index in 0..<10 { check(try received.takeSendRight(at: index).post(3) == nil) }
      check(port.waiting() == nil && port.stoppedWires == 1)
      filler.release(100)
      check(port.waiting() == Received(id: 1) && port.stoppedWires == 0 && port.faults.isEmpty)
    }
  }

  /// Nobody tells the port that a stranger closed a file: it looks by itself while it sleeps.
  @Test func aSleepingPortSeesThatDescriptorsAreFreeAgain() async {
    await #expect(processExitsWith: .success) {
      let box = PortBox(try ReceiveRight())
      let right = try box.port.makeSendRight()
      let copy = try right.copy()
      check(copy.post(1) == nil)
      let filler = try DescriptorFiller(limit: 400, room: 30)
      check(box.port.waiting() == nil && box.port.stoppedWires == 1)
      let thread = WorkerThread { check(box.port.next() == Received(id: 1)) }
      let deadline = Deadline(after: .seconds(5))
      while !box.port.mailbox.isBeingPolled, !deadline.hasPassed {}
      filler.release(100)
      thread.join()
    }
  }

  @Test func aDeadHoldersCopyIsGivenUpInAShortage() async {
    await #expect(processExitsWith: .success) {
      let port = try ReceiveRight()
      try port.requestNoSendersNotification(sync: 1)
      let copy = try port.makeSendRight().copy()
      let filler = try DescriptorFiller(limit: 400, room: 30)
      check(port.next()?.notification == .noSenders(makeSendCount: 1))
      check(copy.isDeadName && port.faults.isEmpty && port.stoppedWires == 0)
      filler.release(1)
    }
  }

  @Test("C22: a receiver without descriptors gets the message and word of the rights that were lost")
  func rightsAreLostOneByOne() async {
    await #expect(processExitsWith: .success) {
      let port = try ReceiveRight()
      let target = try ReceiveRight()
      let right = try port.makeSendRight()
      let before = openDescriptors()
      do {
        var message = Message(id: 1, body: [4])
        for _ in 0..<10 { message.attach(try target.makeSendRight()) }
        try right.send(message).get()
        check(right.post(2) == nil)
        let filler = try DescriptorFiller(limit: 200, room: 4)
        var received = try port.receive(timeout: .seconds(5))
        check(received.id == 1 && received.rightsCount == 10)
        for index in 0..<4 { check(try received.takeSendRight(at: index).post(3) == nil) }
        for index in 4..<10 {
          #expect(throws: PortError.rightLost(index: index)) { _ = try received.takeSendRight(at: index) }
        }
        check(port.next() == Received(id: 2) && port.faults.isEmpty && !right.isDeadName)
        filler.release(4)
      }
      try setDescriptorLimit(1000)
      for _ in 0..<4 { check(target.next() == Received(id: 3)) }
      check(target.waiting() == nil)
      checkCensus(before)
    }
  }

  /// A flood in flight is the whole user's; when its owner has read, all can send again and nothing of theirs was lost.
  @Test(.enabled(if: ProcessFacts.effectiveUser == 0, "only a super-user can become a user of its own"))
  func neighboursOfAFlooderSendRightsAgain() async {
    await #expect(processExitsWith: .success) {
      check(becomeOrdinaryUser(number: 64_001))
      try setDescriptorLimit(200)
      let port = try ReceiveRight()
      let other = try ReceiveRight()
      let bad = try port.makeSendRight()
      let good = try other.makeSendRight()
      try bad.reserveSendBuffer(bytes: 1 << 20)
      var floods = 0
      while floods < 10_000 {
        let pair = try PacketSocket.pair()
        let number = pair.second.descriptor.number
        guard bad.inject(FrameHeader(kind: .adopt).encoded(), descriptors: [number]) else { break }
        floods += 1
      }
      check((100..<10_000).contains(floods), "\(floods)")
      var message = Message(id: 8)
      message.attach(try other.makeSendRight())
      switch good.send(message, timeout: .zero) {
      case .sent: Issue.record("the kernel's own limit did not bind")
      case .returned(let refused, let error):
        check(error == .descriptorShortage && refused.rightsCount == 1)
        // The owner reads at most so much at one look.
        while port.waiting() != nil || port.hasStagedMail {}
        try good.send(refused, timeout: .zero).get()
      }
      var received = try other.receive(timeout: .seconds(5))
      check(try received.takeSendRight(at: 0).post(9) == nil)
      check(other.next() == Received(id: 9))
    }
  }
}
