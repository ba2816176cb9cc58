import TestSupport
import Testing

@testable import PortKit

@Suite struct ArrivalOrderTests {
  private func insert(_ order: inout ArrivalOrder, _ key: UInt64, _ stamp: Int64, after: Int64 = .min, now: Int64) {
    order.insert(key, stamp: stamp, previousStamp: after, now: { now })
  }

  @Test func theOldestHeadGoesFirstOnceNothingOlderCanBeUnseen() {
    var order = ArrivalOrder()
    #expect(order.next(hasOneWire: false) == .empty)
    order.beginPoll(now: 100)
    insert(&order, 1, 90, now: 100)
    insert(&order, 2, 80, now: 100)
    insert(&order, 3, 95, now: 100)
    #expect(order.count == 3)
    for key: UInt64 in [2, 1, 3] { #expect(order.next(hasOneWire: false) == .deliver(key)) }
    #expect(order.isEmpty)
  }

  @Test func aHeadYoungerThanTheLastPollWaitsForAnotherOne() {
    var order = ArrivalOrder()
    order.beginPoll(now: 100)
    insert(&order, 1, 100, now: 101)
    #expect(order.next(hasOneWire: false) == .poll)
    order.beginPoll(now: 110)
    insert(&order, 2, 99, now: 111)
    #expect(order.next(hasOneWire: false) == .deliver(2))
    #expect(order.next(hasOneWire: false) == .deliver(1))
  }

  @Test func oneWireIsItsOwnOrder() {
    var order = ArrivalOrder()
    insert(&order, 1, 500, now: 500)
    #expect(order.next(hasOneWire: true) == .deliver(1))
  }

  @Test func aPacketWithMoreFramesKeepsItsPlace() {
    var order = ArrivalOrder()
    order.beginPoll(now: 100)
    insert(&order, 1, 10, now: 100)
    insert(&order, 2, 20, now: 100)
    #expect(order.next(hasOneWire: false) == .deliver(1))
    order.putBackLast()
    order.putBackLast()
    #expect(order.count == 2)
    #expect(order.next(hasOneWire: false) == .deliver(1))
    #expect(order.next(hasOneWire: false) == .deliver(2))
  }

  @Test("C31: after a backward step of the clock nothing waits for it")
  func afterABackwardStepNothingWaitsForTheClock() {
    var order = ArrivalOrder()
    order.beginPoll(now: 1000)
    insert(&order, 1, 1001, now: 1002)
    // The clock went back by 900: the same wire has an older stamp behind a younger one.
    order.beginPoll(now: 110)
    insert(&order, 2, 105, after: 990, now: 111)
    #expect(order.next(hasOneWire: false) == .deliver(1))
    #expect(order.next(hasOneWire: false) == .poll)
    order.beginPoll(now: 120)
    #expect(order.next(hasOneWire: false) == .deliver(2))
  }

  @Test func aStampInTheFutureIsOlderThanAllOthers() {
    var order = ArrivalOrder()
    order.beginPoll(now: 100)
    insert(&order, 1, 5000, now: 101)
    insert(&order, 2, 50, now: 101)
    #expect(order.next(hasOneWire: false) == .deliver(1))
  }

  /// Wires with queues against a plain list: under a steady clock the deliveries are in the order of the stamps.
  @Test func randomTrafficComesInTheOrderOfItsStamps() {
    var random = seed("ArrivalOrderTests")
    for _ in 0..<200 {
      var model = Model(wires: random.number(1...8))
      for _ in 0..<200 { model.step(&random) }
      model.drain()
      #expect(model.delivered == model.delivered.sorted())
      #expect(model.delivered.count == model.sent)
    }
  }

  /// A mailbox without a kernel: a poll stages the head of each wire that has mail.
  private struct Model {
    var order = ArrivalOrder()
    var queues: [[Int64]]
    var staged: [Int64?]
    var last: [Int64]
    var clock: Int64 = 1000
    var sent = 0
    var delivered: [Int64] = []

    init(wires: Int) {
      queues = Array(repeating: [], count: wires)
      staged = Array(repeating: nil, count: wires)
      last = Array(repeating: .min, count: wires)
    }

    mutating func step(_ random: inout SeededNumbers) {
      clock += 1
      if random.chance(55) {
        queues[random.number(0...queues.count - 1)].append(clock)
        sent += 1
      } else {
        take()
      }
    }

    mutating func stage(_ wire: Int) {
      guard staged[wire] == nil, !queues[wire].isEmpty else { return }
      let stamp = queues[wire].removeFirst()
      staged[wire] = stamp
      let now = clock
      order.insert(UInt64(wire), stamp: stamp, previousStamp: last[wire], now: { now })
      last[wire] = stamp
    }

    mutating func poll() {
      clock += 1
      order.beginPoll(now: clock)
      for wire in queues.indices { stage(wire) }
    }

    mutating func take() {
      while true {
        switch order.next(hasOneWire: queues.count == 1) {
        case .empty:
          poll()
          if order.isEmpty { return }
        case .poll: poll()
        case .deliver(let key):
          guard let stamp = staged[Int(key)] else {
            Issue.record("delivered twice")
            return
          }
          delivered.append(stamp)
          staged[Int(key)] = nil
          stage(Int(key))
          return
        }
      }
    }

    mutating func drain() { while delivered.count < sent, delivered.count < 10_000 { take() } }
  }
}
