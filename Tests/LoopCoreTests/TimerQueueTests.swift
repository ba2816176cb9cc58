import LinuxSystem
import Testing

@testable import LoopCore

@Suite struct TimerQueueTests {
  private func instant(_ number: Int) -> Instant { Instant(nanoseconds: Int64(number)) }

  private func due(_ queue: inout TimerQueue<String>, by now: Int) -> [String] {
    var list: [String] = []
    queue.collectDue(by: instant(now), into: &list)
    return list
  }

  @Test func dueOnesComeInOrderAndStay() {
    var queue = TimerQueue<String>()
    for number in [12, 4, 8, 30] { _ = queue.insert("\(number)", due: instant(number)) }
    #expect(due(&queue, by: 3).isEmpty)
    #expect(due(&queue, by: 12) == ["4", "8", "12"])
    #expect(due(&queue, by: 12) == ["4", "8", "12"])
    #expect(queue.earliest == instant(4))
    #expect(queue.count == 4)
    #expect(!queue.isDue(by: instant(3)) && queue.isDue(by: instant(4)))
  }

  @Test func equalInstantsAreFirstComeFirstServed() {
    var queue = TimerQueue<String>()
    let tickets = ["a", "b", "c", "d", "e"].map { queue.insert($0, due: instant(7)) }
    #expect(due(&queue, by: 7) == ["a", "b", "c", "d", "e"])
    queue.move(tickets[1], to: instant(7))
    #expect(due(&queue, by: 7) == ["a", "c", "d", "e", "b"])
    queue.remove(tickets[0])
    #expect(due(&queue, by: 7) == ["c", "d", "e", "b"])
  }

  @Test func anEmptyQueue() {
    var queue = TimerQueue<String>()
    #expect(queue.earliest == nil)
    #expect(due(&queue, by: .max).isEmpty)
    let ticket = queue.insert("a", due: .distantFuture)
    #expect(queue.remove(ticket) == "a")
    #expect(queue.count == 0 && queue.elements.isEmpty)
    queue.checkInvariants()
  }

  @Test func removedElementsAreReleased() {
    var queue = TimerQueue<Token>()
    weak var token: Token?
    let ticket: TimerQueue<Token>.Ticket
    do {
      let held = Token()
      token = held
      ticket = queue.insert(held, due: instant(1))
      var list: [Token] = []
      queue.collectDue(by: instant(1), into: &list)
    }
    #expect(token != nil)
    queue.remove(ticket)
    #expect(token == nil)
  }

  @Test func aSpentTicketIsCaught() async {
    await #expect(processExitsWith: .failure) {
      var queue = TimerQueue<Int>()
      let ticket = queue.insert(1, due: Instant(nanoseconds: 1))
      queue.remove(ticket)
      queue.move(ticket, to: Instant(nanoseconds: 2))
    }
  }

  /// Against the plainest model: a list sorted by due instant and rank.
  @Test func randomOperations() {
    let seed = UInt64.random(in: 0 ... .max)
    print("TimerQueueTests.randomOperations seed \(seed)")
    var random = SeededNumbers(state: seed)
    var queue = TimerQueue<Int>()
    var model: [(due: Int, rank: Int, element: Int, ticket: TimerQueue<Int>.Ticket)] = []
    for step in 0..<4_000 {
      let date = Int.random(in: 0..<50, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        model.append((date, step, step, queue.insert(step, due: instant(date))))
      case 2 where !model.isEmpty:
        let index = Int.random(in: 0..<model.count, using: &random)
        #expect(queue.remove(model[index].ticket) == model[index].element)
        model.remove(at: index)
      case 3 where !model.isEmpty:
        let index = Int.random(in: 0..<model.count, using: &random)
        queue.move(model[index].ticket, to: instant(date))
        (model[index].due, model[index].rank) = (date, step)
      default:
        var list: [Int] = []
        queue.collectDue(by: instant(date), into: &list)
        let expected = model.filter { $0.due <= date }.sorted { ($0.due, $0.rank) < ($1.due, $1.rank) }.map(\.element)
        #expect(list == expected, "seed \(seed), step \(step)")
      }
      #expect(queue.earliest == model.map { instant($0.due) }.min())
      if step % 16 == 0 { queue.checkInvariants() }
    }
  }
}

struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
