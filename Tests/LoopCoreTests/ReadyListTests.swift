import Testing

@testable import LoopCore

@Suite struct ReadyListTests {
  private typealias List = ReadyList<String>

  private func next(_ list: inout List) -> String? {
    switch list.next() {
    case nil: nil
    case .timersDue: "timers"
    case .member(let member): member
    }
  }

  private func drain(_ list: inout List) -> [String] {
    var entries: [String] = []
    while let entry = next(&list) { entries.append(entry) }
    list.checkInvariants()
    return entries
  }

  @Test func firstComeFirstServedAndOnce() {
    var list = List()
    let keys = ["a", "b", "c"].map { list.join($0) }
    for index in [2, 0, 2, 1, 0] { list.markReady(keys[index]) }
    list.markTimersDue()
    list.markTimersDue()
    list.checkInvariants()
    #expect(drain(&list) == ["c", "a", "b", "timers"])
    #expect(list.isEmpty)
    list.markReady(keys[0])
    list.markTimersDue()
    #expect(drain(&list) == ["a", "timers"])
  }

  @Test func aKeyIsNeverGivenOutTwice() {
    var list = List()
    let gone = list.join("gone")
    list.markReady(gone)
    list.leave(gone)
    let heir = list.join("heir")
    #expect(heir != gone)
    #expect(heir.rawValue & 0xFFFF_FFFF == gone.rawValue & 0xFFFF_FFFF, "the place is used again")
    list.markReady(gone)
    #expect(drain(&list) == [])
    list.markReady(heir)
    #expect(drain(&list) == ["heir"])
    #expect(list.memberCount == 1 && list.members == ["heir"])
  }

  @Test func foreignKeysAreIgnored() {
    var list = List()
    _ = list.join("a")
    for raw in [UInt64(0), 1, .max, 1 << 32 | 7, 2 << 32] { list.markReady(List.Key(rawValue: raw)) }
    #expect(drain(&list) == [])
  }

  @Test func aRoundIsWhatTheLastLookFound() {
    var list = List()
    let flooded = list.join("flooded")
    let quiet = list.join("quiet")
    #expect(list.roundIsOver)
    list.markReady(flooded)
    list.markReady(quiet)
    list.beginRound()
    #expect(next(&list) == "flooded")
    // Has more at once, but that belongs to the next round.
    list.markReady(flooded)
    #expect(!list.roundIsOver)
    #expect(next(&list) == "quiet")
    #expect(list.roundIsOver && !list.isEmpty)
    list.markReady(quiet)
    list.beginRound()
    #expect(drain(&list) == ["flooded", "quiet"])
    #expect(list.roundIsOver)
  }

  @Test func aStaleEntryIsPartOfItsRound() {
    var list = List()
    let gone = list.join("gone")
    let stays = list.join("stays")
    list.markReady(gone)
    list.markReady(stays)
    list.beginRound()
    list.leave(gone)
    #expect(next(&list) == "stays")
    #expect(list.roundIsOver)
  }

  @Test func theLineDoesNotGrowWithTime() {
    var list = List()
    let keys = ["a", "b"].map { list.join($0) }
    for key in keys { list.markReady(key) }
    var order: [String] = []
    for step in 0..<10_000 {
      let entry = next(&list)!
      if step < 4 { order.append(entry) }
      list.markReady(entry == "a" ? keys[0] : keys[1])
    }
    #expect(order == ["a", "b", "a", "b"])
    list.checkInvariants()
    #expect(drain(&list).count == 2)
  }

  @Test func aSpentKeyIsCaught() async {
    await #expect(processExitsWith: .failure) {
      var list = ReadyList<Int>()
      let key = list.join(1)
      list.leave(key)
      list.leave(key)
    }
  }
}
