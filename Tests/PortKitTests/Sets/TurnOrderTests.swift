import TestSupport
import Testing

@testable import PortKit

@Suite struct TurnOrderTests {
  @Test func whoWasServedLongestAgoComesFirst() {
    var order = TurnOrder()
    for key: UInt64 in [3, 1, 2] { order.note(key) }
    order.note(1)
    #expect(order.isRoundOver && order.next() == nil && order.hasWork)
    order.beginRound()
    #expect([order.next(), order.next()] == [1, 2])
    // More of 2, in hand before the kernel tells of 1 and 4.
    order.note(2)
    #expect(order.next() == 3 && order.isRoundOver)
    for key: UInt64 in [1, 4] { order.note(key) }
    order.beginRound()
    #expect([order.next(), order.next(), order.next(), order.next()] == [4, 1, 2, nil])
    #expect(!order.hasWork)
  }

  @Test func whoLeftHasNoTurn() {
    var order = TurnOrder()
    for key: UInt64 in [1, 2, 3] { order.note(key) }
    order.beginRound()
    order.remove(2)
    #expect([order.next(), order.next(), order.next()] == [1, 3, nil] && !order.hasWork)
    order.note(4)
    order.remove(4)
    #expect(!order.hasWork)
    order.beginRound()
    #expect(order.next() == nil)
  }

  /// Whatever comes and goes: no member waits longer than each other one has a turn.
  @Test(arguments: SeededNumbers.seeds)
  func nobodyIsPassedOverTwice(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    var order = TurnOrder()
    var turnsSince: [UInt64: [UInt64: Int]] = [:]
    for _ in 0..<2_000 {
      for key: UInt64 in 1...6 where turnsSince[key] == nil && numbers.chance(40) {
        order.note(key)
        turnsSince[key] = [:]
      }
      if order.isRoundOver { order.beginRound() }
      guard let key = order.next() else { continue }
      #expect(turnsSince.removeValue(forKey: key) != nil, "only who has mail has a turn")
      for other in turnsSince.keys { turnsSince[other]![key, default: 0] += 1 }
      #expect(turnsSince.values.allSatisfy { $0.values.allSatisfy { $0 <= 2 } })
    }
  }
}
