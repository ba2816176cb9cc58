import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct DeadlineHeapTests {
  private func at(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

  @Test func theEarliestComesFirstAndOnlyWhenDue() {
    var heap = DeadlineHeap()
    heap.insert(1, due: at(30))
    heap.insert(2, due: at(10))
    heap.insert(3, due: at(20))
    check(heap.earliest() == at(10))
    check(heap.popDue(by: at(9)) == nil)
    check(heap.popDue(by: at(20)) == 2 && heap.popDue(by: at(20)) == 3 && heap.popDue(by: at(20)) == nil)
    check(!heap.isEmpty && heap.earliest() == at(30))
  }

  @Test func whatIsRemovedIsNeverDueAndLeavesTheHeap() {
    var heap = DeadlineHeap()
    for key in UInt64(0)..<1000 { heap.insert(key, due: at(1_000_000 + Int64(key))) }
    for key in UInt64(0)..<999 { check(heap.remove(key)) }
    check(!heap.remove(5) && heap.earliest() == at(1_000_999))
    check(heap.entries < 100)
    check(heap.popDue(by: .distantFuture) == 999 && heap.isEmpty && heap.earliest() == nil)
  }

  @Test func itAgreesWithASortedList() {
    var random = seed("DeadlineHeapTests")
    var heap = DeadlineHeap()
    var model: [UInt64: Int64] = [:]
    var key: UInt64 = 0
    for _ in 0..<20_000 {
      switch random.number(0...3) {
      case 0, 1:
        let due = Int64(random.number(0...500))
        heap.insert(key, due: at(due))
        model[key] = due
        key += 1
      case 2:
        if let gone = model.keys.randomElement(using: &random) {
          check(heap.remove(gone))
          model[gone] = nil
        }
      default:
        let now = Int64(random.number(0...500))
        let found = heap.popDue(by: at(now))
        let earliest = model.values.min() ?? .max
        check((found != nil) == (earliest <= now))
        if let found { check(model.removeValue(forKey: found) == earliest) }
      }
      check(heap.isEmpty == model.isEmpty)
    }
  }
}
