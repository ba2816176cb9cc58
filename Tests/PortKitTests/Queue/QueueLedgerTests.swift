import TestSupport
import Testing

@testable import PortKit

@Suite struct QueueLedgerTests {
  private typealias Packet = QueueLedger.Packet

  @Test func countsWhatIsUnread() {
    var ledger = QueueLedger()
    ledger.append(Packet(charge: 768, messages: 1))
    ledger.append(Packet(charge: 1280, messages: 4))
    ledger.append(Packet(charge: 768, messages: 0))
    check(ledger.unread == 5)
    ledger.settle(unreadBytes: 2816)
    check(ledger.unread == 5)
    ledger.settle(unreadBytes: 2048)
    check(ledger.unread == 4)
    ledger.settle(unreadBytes: 768)
    check(ledger.unread == 0 && !ledger.isEmpty)
    ledger.settle(unreadBytes: 0)
    check(ledger.isEmpty)
  }

  @Test func theLastByteOfAPacketBeingFreedDoesNotKeepIt() {
    var ledger = QueueLedger()
    ledger.append(Packet(charge: 768, messages: 1))
    ledger.append(Packet(charge: 768, messages: 1))
    ledger.settle(unreadBytes: 769)
    check(ledger.unread == 1)
    ledger.settle(unreadBytes: 1)
    check(ledger.unread == 0)
  }

  @Test func anAnswerSettlesItsPacketAndAllBefore() {
    var ledger = QueueLedger()
    let numbers = (0..<5).map { _ in ledger.append(Packet(charge: 768, messages: 1)) }
    ledger.settle(through: numbers[2])
    check(ledger.unread == 2)
    ledger.settle(through: numbers[0])
    check(ledger.unread == 2)
    ledger.settle(unreadBytes: 0)
    check(ledger.append(Packet(charge: 768, messages: 1)) == numbers[4] + 1)
    ledger.settle(through: numbers[4])
    check(ledger.unread == 1)
  }

  /// Against a queue that is really there.
  @Test(arguments: 0..<20) func agreesWithAModel(round: UInt64) {
    var random = SeededNumbers(seed: round + 1)
    var ledger = QueueLedger()
    var queue: [Packet] = []
    for _ in 0..<2000 {
      if random.chance(55) {
        let packet = Packet(charge: 256 * random.number(3...40), messages: random.number(0...9))
        queue.append(packet)
        ledger.append(packet)
      } else {
        queue.removeFirst(random.number(0...queue.count))
      }
      let unread = queue.reduce(0) { $0 + $1.messages }
      check(ledger.unread >= unread)
      if random.chance(50) {
        let bytes = queue.reduce(0) { $0 + $1.charge }
        ledger.settle(unreadBytes: bytes + (bytes > 0 ? random.number(0...1) : 0))
        check(ledger.unread == unread && Array(ledger.outstanding) == queue)
      }
    }
  }
}
