import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Moves without the descriptors for it: the port comes back whole, or arrives as a lost right and is dead for all.
@Suite struct PortMoveShortageTests {
  /// A user of its own: descriptors in flight are counted for the user, and other tests run beside this one.
  private static let user: UInt32 = 61_001

  /// ETOOMANYREFS after two of three packets.
  @Test(.enabled(if: ProcessFacts.effectiveUser == 0, "only a super-user can become a user of its own"))
  func tooManyDescriptorsInFlight() async {
    await #expect(processExitsWith: .success) {
      let filler = try DescriptorFiller(limit: 100, room: 0)
      _ = try raiseDescriptorLimit()
      check(becomeOrdinaryUser(number: PortMoveShortageTests.user))
      do {
        let port = try ReceiveRight()
        let rights = try (0..<600).map { _ in RightBox(try port.makeSendRight()) }
        for (id, right) in rights.enumerated() { check(right.right.post(Int32(id)) == nil) }
        check(port.next() == Received(id: 0))
        let way = try ReceiveRight()
        let carrier = try way.makeSendRight()
        try setDescriptorLimit(400)
        filler.release(40)
        let open = openDescriptors()
        var message = Message(id: 5)
        message.attach(port)
        switch carrier.send(message) {
        case .sent: Issue.record("not refused")
        case .returned(var message, let error):
          check(error == .descriptorShortage)
          checkCensus(open)
          let back = try message.takeReceiveRight(at: 0)
          for id in 1..<600 as Range<Int32> { check(back.next() == Received(id: id)) }
          check(rights[599].right.post(7) == nil && back.next() == Received(id: 7) && back.faults.isEmpty)
        }
        check(way.waiting() == nil)
      }
      _ = consume filler
    }
  }

  @Test func noDescriptorForACarrier() async {
    await #expect(processExitsWith: .success) {
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      check(ending(right.call(Message(id: 1), timeout: .zero)) == .timedOut)
      check(right.post(2) == nil)
      let way = try ReceiveRight()
      let carrier = try way.makeSendRight()
      var request = try port.receive(timeout: .seconds(5))
      let owed = request.takeReply()!
      let filler = try DescriptorFiller(limit: 200, room: 0)
      var message = Message(id: 5)
      message.attach(port)
      // With each descriptor more it gets a step further: the owed reply's wire, the carrier, the end that stays.
      for room in 0..<3 {
        filler.leave(room)
        switch carrier.send(message) {
        case .sent: preconditionFailure("not refused with room for \(room)")
        case .returned(let back, let error):
          check(error == .descriptorShortage)
          message = back
        }
      }
      filler.release(10)
      try carrier.send(message).get()
      var received = try way.receive(timeout: .seconds(5))
      let arrived = try received.takeReceiveRight(at: 0)
      try owed.send(Message(id: 4)).get()
      check(arrived.next() == Received(id: 2) && right.post(3) == nil && arrived.next() == Received(id: 3))
      _ = consume filler
    }
  }

  /// A receiver without room loses the port, which is then dead for all: never a part of it.
  @Test("C22: a port that the receiver has no room for is lost as a whole")
  func noRoomForAPort() async {
    await #expect(processExitsWith: .success) {
      let way = try ReceiveRight()
      let carrier = try way.makeSendRight()
      let port = try ReceiveRight()
      let rights = try (0..<20).map { _ in RightBox(try port.makeSendRight()) }
      let target = try ReceiveRight()
      var message = Message(id: 5)
      message.attach(port)
      message.attach(try target.makeSendRight())
      try carrier.send(message).get()
      check(carrier.post(6) == nil)
      let filler = try DescriptorFiller(limit: 200, room: 12)
      do {
        var received = try way.receive(timeout: .seconds(5))
        check(try received.id == 5 && received.kind(ofRightAt: 0) == .lost)
        #expect(throws: PortError.rightLost(index: 0)) { _ = try received.takeReceiveRight(at: 0) }
        check(try received.takeSendRight(at: 1).post(1) == nil && target.next() == Received(id: 1))
      }
      for right in rights { check(right.right.isDeadName) }
      check(way.next() == Received(id: 6) && way.faults.isEmpty)
      _ = consume filler
    }
  }

  @Test("C22: of an array too large for the receiver the last ones are lost, and their senders see them die")
  func noRoomForAnArray() async {
    await #expect(processExitsWith: .success) {
      let way = try ReceiveRight()
      let carrier = try way.makeSendRight()
      let target = try ReceiveRight()
      var message = Message(id: 5)
      for _ in 0..<300 { message.attach(try target.makeSendOnceRight()) }
      try carrier.send(message).get()
      check(carrier.post(6) == nil)
      let filler = try DescriptorFiller(limit: 700, room: 50)
      do {
        let received = try way.receive(timeout: .seconds(5))
        let kinds = try (0..<300).map { try received.kind(ofRightAt: $0) }
        let arrived = kinds.count { $0 == .sendOnce }
        check(arrived > 30 && arrived <= 50 && kinds == kinds[..<arrived] + kinds[arrived...].map { _ in .lost })
      }
      for _ in 0..<300 { check(target.next()?.notification == .sendOnce) }
      check(way.next() == Received(id: 6) && way.faults.isEmpty)
      _ = consume filler
    }
  }
}
