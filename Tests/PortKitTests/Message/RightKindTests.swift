import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// What may lie at a place of a message's rights, and the six ways to get it there.
@Suite struct RightKindTests {
  @Test("C16: six dispositions, what arrives and what is left")
  func sixDispositions() throws {
    let port = try ReceiveRight()
    let target = try ReceiveRight()
    let other = try ReceiveRight()
    let kept = try target.makeSendRight()
    let moved = try target.makeSendRight()
    let once = try target.makeSendOnceRight()
    let senders = RightBox(try other.makeSendRight())
    var message = Message(id: 1)
    let places = [message.attach(other), message.attach(moved), message.attach(once)]
    check(places == [0, 1, 2])
    check(try message.attach(copying: kept) == 3)
    check(target.makeSendCount == 2)
    check(try message.attach(makingSendRightFrom: target) == 4)
    check(target.makeSendCount == 3)
    check(try message.attach(makingSendOnceRightFrom: target) == 5)
    check(target.makeSendCount == 3)
    var received = try pass(message, through: port)
    let kinds = try (0..<6).map { try received.kind(ofRightAt: $0) }
    check(kinds == [.receive, .send, .sendOnce, .send, .send, .sendOnce])
    let arrived = try received.takeReceiveRight(at: 0)
    check(arrived.makeSendCount == 0 && senders.right.post(9) == nil && arrived.next() == Received(id: 9))
    for index in [1, 3, 4] {
      check(try received.takeSendRight(at: index).post(Int32(index)) == nil)
      check(target.next() == Received(id: Int32(index)))
    }
    for index in [2, 5] {
      try received.takeSendOnceRight(at: index).send(Message(id: Int32(index))).get()
      check(target.next() == Received(id: Int32(index)))
    }
    check(target.makeSendCount == 3 && kept.post(10) == nil && target.next() == Received(id: 10))
  }

  /// Duplicates stay rights of their own: there are no names that could coalesce.
  @Test("C62: 100 rights with null, dead, duplicates, moves and copies keep count and places")
  func anArrayKeepsItsPlaces() throws {
    let port = try ReceiveRight()
    let target = try ReceiveRight()
    let kept = try target.makeSendRight()
    var message = Message(id: 1)
    for index in 0..<100 {
      switch index % 5 {
      case 0: message.attachNull()
      case 1: message.attachDeadName()
      case 2: message.attach(try target.makeSendRight())
      case 3:
        // The owner adopts the copy before and gives credit for the next one.
        check(target.waiting() == nil)
        try message.attach(copying: kept)
      default: message.attach(try deadRight())
      }
    }
    var received = try pass(message, through: port)
    check(received.rightsCount == 100)
    for index in 0..<100 {
      let expected: [RightKind] = [.null, .deadName, .send, .send, .deadName]
      check(try received.kind(ofRightAt: index) == expected[index % 5])
      guard [2, 3].contains(index % 5) else { continue }
      check(try received.takeSendRight(at: index).post(Int32(index)) == nil)
      check(target.next() == Received(id: Int32(index)))
      check(try received.kind(ofRightAt: index) == .taken)
    }
    check(try received.takeSendRight(at: 4).post(1) == .deadName)
  }

  @Test("C62: null and dead alone, and after the sender is gone, without a descriptor")
  func nullAndDeadAlone() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let port = try ReceiveRight()
        let right = try port.makeSendRight()
        let open = openDescriptors()
        var message = Message(id: 1)
        check(message.attachNull() == 0)
        check(message.attachDeadName() == 1)
        try right.send(message).get()
        var received = try port.receive(timeout: .seconds(5))
        checkCensus(open)
        check(try received.kind(ofRightAt: 0) == .null && received.kind(ofRightAt: 1) == .deadName)
        for index in 0...1 {
          #expect(throws: PortError.wrongKindOfRight(index: index)) { _ = try received.takeSendRight(at: index) }
          #expect(throws: PortError.wrongKindOfRight(index: index)) { _ = try received.takeReceiveRight(at: index) }
        }
        #expect(throws: PortError.noSuchRight(index: 2)) { _ = try received.kind(ofRightAt: 2) }
      }
      checkCensus(before)
    }
  }

  /// T3.
  @Test func aRightWhosePortDiesOnTheWayIsADeadName() throws {
    let port = try ReceiveRight()
    let way = try port.makeSendRight()
    do {
      let target = try ReceiveRight()
      var message = Message(id: 1)
      message.attach(try target.makeSendRight())
      message.attach(try target.makeSendOnceRight())
      try way.send(message).get()
    }
    var received = try port.receive(timeout: .seconds(5))
    check(try received.kind(ofRightAt: 0) == .deadName && received.kind(ofRightAt: 1) == .deadName)
    let right = try received.takeSendRight(at: 0)
    check(right.isDeadName)
    let refusal = error(of: try received.takeSendOnceRight(at: 1).send(Message(id: 1)))
    check(refusal == .deadName)
  }

  @Test func aReceiveRightIsTakenOnceAndByItsKind() throws {
    var message = Message(id: 1)
    message.attach(try ReceiveRight())
    #expect(throws: PortError.wrongKindOfRight(index: 0)) { _ = try message.takeSendRight(at: 0) }
    #expect(throws: PortError.wrongKindOfRight(index: 0)) { _ = try message.takeSendOnceRight(at: 0) }
    _ = try message.takeReceiveRight(at: 0)
    check(try message.kind(ofRightAt: 0) == .taken)
    #expect(throws: PortError.noSuchRight(index: 0)) { _ = try message.takeReceiveRight(at: 0) }
    let port = try ReceiveRight()
    let refusal = error(of: try port.makeSendRight().send(message))
    check(refusal == .noSuchRight(index: 0))
  }
}

/// The message as it arrives from a wire of `port`.
func pass(_ message: consuming Message, through port: borrowing ReceiveRight) throws -> Message {
  let way = try port.makeSendRight()
  try way.send(message).get()
  return try port.receive(timeout: .seconds(5))
}
