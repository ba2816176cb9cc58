import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// What a port holds of mail that is not delivered yet.
@Suite struct HandTests {
  private static let gift = try! PacketSocket.pair()

  private static func census() -> Set<CInt> {
    _ = gift.first.descriptor.number
    return openDescriptors()
  }

  /// Sends a message with so many send-once rights, which costs this process no descriptors of its own.
  private static func sendRights(_ count: Int, on right: borrowing SendRight, id: Int32) -> Bool {
    var bytes = FrameHeader(kind: .message, id: id, rights: count).encoded()
    for index in 0..<count { RightEntry(kind: .sendOnce, index: index).append(to: &bytes) }
    return right.inject(bytes, descriptors: [CInt](repeating: gift.first.descriptor.number, count: count))
  }

  /// The breadth of a flood does not count: others' rights and this process's own find room.
  @Test func aFloodOfRightsOverManyWiresTakesNobodysDescriptors() async {
    await #expect(processExitsWith: .success) {
      let port = try ReceiveRight()
      let good = try port.makeSendRight()
      let home = try ReceiveRight()
      let floods = try (0..<6).map { _ in RightBox(try port.makeSendRight()) }
      for flood in floods { check(HandTests.sendRights(253, on: flood.right, id: 1)) }
      var letter = Message(id: 2)
      try letter.attach(makingSendRightFrom: home)
      try good.send(letter).get()
      for flood in floods { check(flood.right.post(3) == nil) }
      try setDescriptorLimit(700)
      for _ in floods {
        let message = try port.receive(timeout: .seconds(5))
        check(message.id == 1 && message.rightsCount == 253)
        for index in 0..<253 { check(try message.kind(ofRightAt: index) == .sendOnce) }
        _ = try ReceiveRight()
      }
      // In the order in which they were sent.
      var received = try port.receive(timeout: .seconds(5))
      check(try received.id == 2 && received.takeSendRight(at: 0).post(4) == nil)
      for _ in floods { check(port.next() == Received(id: 3)) }
      check(port.waiting() == nil && port.faults.isEmpty && home.next() == Received(id: 4))
      check(port.mailbox.state.withLock { $0.wires.held == 0 })
    }
  }

  @Test func whatIsInHandIsBoundedAndCounted() async {
    await #expect(processExitsWith: .success) {
      let before = HandTests.census()
      do {
        let port = try ReceiveRight()
        check(port.waiting() == nil)
        let rights = try (0..<8).map { _ in RightBox(try port.makeSendRight()) }
        for box in rights { check(HandTests.sendRights(40, on: box.right, id: 1)) }
        _ = try port.status()
        check(port.mailbox.state.withLock { $0.wires.held } == 80)
        // Two are in hand, six were only seen, and all are in line.
        check(try port.status().stagedPacketCount == 8)
        check(port.next() == Received(id: 1) && port.waiting() == Received(id: 1))
        check(port.mailbox.state.withLock { $0.wires.held } <= 2 * 40 + 40)
        // A port that moves takes them along, those in hand and those in the wires.
        let carrier = try ReceiveRight()
        var message = Message(id: 2)
        message.attach(port)
        try carrier.makeSendRight().send(message).get()
        var received = try carrier.receive(timeout: .seconds(5))
        let moved = try received.takeReceiveRight(at: 0)
        check(moved.mailbox.state.withLock { $0.wires.held } <= 2 * 40 + 40)
        for _ in 0..<6 { check(moved.next() == Received(id: 1)) }
        check(moved.waiting() == nil && moved.mailbox.state.withLock { $0.wires.held } == 0)
      }
      checkCensus(before)
    }
  }

  /// Messages of one packet share its descriptors, and a wire that goes takes its count along.
  @Test func theCountEndsWithItsWire() throws {
    let port = try ReceiveRight()
    do {
      let right = try port.makeSendRight()
      let other = try port.makeSendRight()
      check(Self.sendRights(70, on: right, id: 1) && Self.sendRights(70, on: other, id: 2))
      check(try port.status().stagedPacketCount == 2)
      check(port.mailbox.state.withLock { $0.wires.held } == 70)
    }
    check(port.next() == Received(id: 1) && port.next() == Received(id: 2) && port.waiting() == nil)
    check(try port.status().wireCount == 0 && port.mailbox.state.withLock { $0.wires.held } == 0)
  }

  /// What was only seen keeps its place among the mail of all wires.
  @Test func orderIsThatOfSending() throws {
    var random = seed("HandTests")
    let port = try ReceiveRight()
    // What is sent by hand is in no ledger.
    try port.setQueueLimit(500)
    let rights = try (0..<5).map { _ in RightBox(try port.makeSendRight()) }
    for round in 0..<40 as Range<Int32> {
      var sent: [Int32] = []
      for place in 0..<15 as Range<Int32> {
        let box = rights[Int(place) % 5]
        let id = 100 * round + place
        check(random.chance(50) ? Self.sendRights(30, on: box.right, id: id) : box.right.post(id) == nil)
        sent.append(id)
      }
      var seen: [Int32] = []
      while let next = port.waiting() { seen.append(next.id) }
      check(seen == sent, "\(seen)")
    }
  }
}
