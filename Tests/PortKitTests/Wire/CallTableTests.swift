import LinuxSystem
import Testing

@testable import PortKit

@Suite struct CallTableTests {
  private func role(_ table: inout CallTable, _ number: UInt64) -> String {
    switch table.nextRole(of: number, in: 0) {
    case .read: "read"
    case .wait: "wait"
    case .ended(.dropped): "dropped"
    case .ended(.dead): "dead"
    case .ended(.lost): "lost"
    case .ended(.reply): "reply"
    case .ended(.moved): "moved"
    }
  }

  private func settle(_ table: inout CallTable, _ number: UInt64) -> String {
    switch table.settle(number, .dropped) {
    case .filed: "filed"
    case .ended: "ended"
    case .late: "late"
    }
  }

  @Test func numbersAreGivenOutOnceAndGoRound() {
    var table = CallTable(nextNumber: .max)
    check(table.begin() == .max)
    check(table.begin() == 0)
    check(table.nextNumber == 1)
  }

  @Test func oneThreadReadsForAll() {
    var table = CallTable(nextNumber: 1)
    _ = table.begin()
    _ = table.begin()
    check(role(&table, 1) == "read")
    check(role(&table, 2) == "wait")
    check(table.mustWait(2, in: 0))
    check(settle(&table, 2) == "filed")
    check(!table.mustWait(2, in: 0))
    check(role(&table, 2) == "dropped")
    table.stopReading()
    check(role(&table, 1) == "read")
  }

  @Test func aReplyThatCameLateIsNobodys() {
    var table = CallTable(nextNumber: 1)
    _ = table.begin()
    check(table.giveUp(1, in: nil) == nil)
    check(table.mayStillBeAnswered)
    check(settle(&table, 1) == "late")
    check(!table.mayStillBeAnswered && table.lateReplies == 1)
    check(settle(&table, 77) == "late" && table.lateReplies == 2)
  }

  @Test func anEndThatCameBeforeTheGivingUpIsNotLost() {
    var table = CallTable(nextNumber: 1)
    _ = table.begin()
    check(settle(&table, 1) == "filed")
    check(settle(&table, 1) == "late")
    check(table.giveUp(1, in: nil) != nil)
    check(!table.mayStillBeAnswered)
  }

  @Test func thePlacesAreLimitedAndComeBack() {
    var table = CallTable(nextNumber: 0)
    for number in 0..<UInt64(Limits.callsPerWire) { check(table.begin() == number) }
    check(table.isFull && table.begin() == nil)
    check(table.giveUp(3, in: nil) == nil)
    check(table.begin() == nil)
    check(settle(&table, 3) == "late")
    check(table.begin() == UInt64(Limits.callsPerWire))
    table.finish(5)
    check(!table.isFull)
  }

  @Test func deathEndsEveryCall() {
    var table = CallTable(nextNumber: 0)
    _ = table.begin()
    _ = table.begin()
    _ = table.begin()
    check(table.giveUp(2, in: nil) == nil)
    check(settle(&table, 1) == "filed")
    check(table.die().isEmpty)
    check(role(&table, 0) == "dead")
    check(role(&table, 1) == "dropped")
    check(!table.mayStillBeAnswered && !table.startReading())
  }
}
