import TestSupport
import Testing

@testable import PortKit

/// A moved right takes the account of its queue along.
@Suite struct MovedQueueTests {
  @Test func theQueueStaysAsFullAsItWas() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    for id in Int32(1)...3 { check(right.post(id, timeout: .zero) == nil) }
    let next = try moved(right)
    check((4...6).map { next.post($0, timeout: .zero) } == [nil, nil, .timedOut])
    check(port.waiting() == Received(id: 1))
    check(next.post(6, timeout: .zero) == nil && next.post(7, timeout: .zero) == .timedOut)
    let last = try moved(next)
    check(last.post(7, timeout: .zero) == .timedOut)
    check((2...6).allSatisfy { port.waiting() == Received(id: $0) } && port.waiting() == nil)
    check(last.post(7, timeout: .zero) == nil)
  }

  @Test func theLimitIsKnown() throws {
    let port = try ReceiveRight()
    try port.setQueueLimit(2)
    let right = try port.makeSendRight()
    check(right.post(1, timeout: .zero) == nil)
    let next = try moved(right)
    check(next.post(2, timeout: .zero) == nil && next.post(3, timeout: .zero) == .timedOut)
    try port.setQueueLimit(3)
    let last = try moved(next)
    check(last.post(3, timeout: .zero) == nil && last.post(4, timeout: .zero) == .timedOut)
  }

  @Test func copiesUnderWayCountForTheNextHolder() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    var copies: [RightBox] = []
    for _ in 0..<Limits.unadoptedCopies { copies.append(RightBox(try right.copy(timeout: .zero))) }
    let next = try moved(right)
    #expect(throws: PortError.timedOut) { _ = try next.copy(timeout: .zero) }
    check(copies[0].right.post(1) == nil && port.next() == Received(id: 1))
    #expect(throws: Never.self) { _ = try next.copy(timeout: .zero) }
  }

  /// Never above the limit, whatever was told in one sum.
  @Test func manyUnreadPacketsAreToldInASum() throws {
    let port = try ReceiveRight()
    try port.setQueueLimit(20)
    let right = try port.makeSendRight()
    for id in Int32(1)...18 { check(right.post(id, timeout: .zero) == nil) }
    let next = try moved(right)
    check((19...21).map { next.post($0, timeout: .zero) } == [nil, nil, .timedOut])
    for id in Int32(1)...20 { check(port.waiting() == Received(id: id)) }
    for id in Int32(1)...20 { check(next.post(id, timeout: .zero) == nil) }
    check(next.post(21, timeout: .zero) == .timedOut)
  }

  @Test func theSumIsRight() {
    var state = TravelState()
    let packets = (1...9).map { QueueLedger.Packet(charge: $0, messages: 10 * $0) }
    state.setPackets(packets)
    #expect(state.packets == packets.prefix(4) + [QueueLedger.Packet(charge: 35, messages: 350)])
    state.setPackets(packets.prefix(5))
    #expect(state.packets == Array(packets.prefix(5)))
  }
}
