import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct ChargeTreeTests {
  @Test func descendantsShareTheAccountOfTheFirst() {
    var tree = ChargeTree(limit: 3)
    check(tree.hasRoom(under: 1))
    tree.adopt(2, under: 1)
    tree.adopt(3, under: 2)
    tree.adopt(4, under: 3)
    for key in 1...4 as ClosedRange<UInt64> { check(!tree.hasRoom(under: key)) }
    check(tree.hasRoom(under: 5))
    check(tree.charged(to: 1) == 3 && tree.chargedCount == 3)
  }

  /// The first one pays nothing for itself, and its account lives on without it.
  @Test func theAccountOutlivesItsWire() {
    var tree = ChargeTree(limit: 1)
    tree.adopt(2, under: 1)
    check(tree.remove(1) == nil)
    check(!tree.hasRoom(under: 2))
    tree.stop(2)
    check(tree.stoppedCount == 1)
    check(tree.remove(2) == nil && tree.stoppedCount == 0 && tree.chargedCount == 0)
  }

  @Test func stoppedWiresGoOnInTurn() {
    var tree = ChargeTree(limit: 3)
    for child in 2...4 as ClosedRange<UInt64> { tree.adopt(child, under: 1) }
    for key in 1...3 as ClosedRange<UInt64> { tree.stop(key) }
    tree.leaveLine(1)
    check(tree.remove(4) == 2)
    tree.adopt(5, under: 2)
    check(tree.nextInLine(with: 2) == nil)
    check(tree.remove(5) == 3)
    check(tree.nextInLine(with: 3) == nil && tree.stoppedCount == 0)
  }

  @Test func aPlaceLeftUnusedGoesToTheNext() {
    var tree = ChargeTree(limit: 1)
    tree.adopt(2, under: 1)
    tree.stop(1)
    tree.stop(2)
    check(tree.remove(2) == 1)
    tree.adopt(3, under: 1)
    tree.stop(1)
    tree.stop(3)
    check(tree.setLimit(2) == [1])
    // It failed: the next one has the place.
    check(tree.remove(1) == 3)
  }

  @Test func thoseWhoAreIntroducedPayForThemselves() {
    var tree = ChargeTree(limit: 1)
    tree.addIntroducer(1)
    for child in 2...9 as ClosedRange<UInt64> {
      check(tree.hasRoom(under: 1))
      tree.adopt(child, under: 1)
      tree.adopt(child + 100, under: child)
      check(!tree.hasRoom(under: child) && !tree.hasRoom(under: child + 100))
    }
    check(tree.remove(1) == nil && tree.hasRoom(under: 1))
    tree.adopt(50, under: 1)
    check(!tree.hasRoom(under: 1))
  }

  @Test func aNewLimitLetsAsManyGoOn() {
    var tree = ChargeTree(limit: 0)
    for key in 1...3 as ClosedRange<UInt64> { tree.stop(key) }
    check(tree.setLimit(0).isEmpty)
    check(Set(tree.setLimit(1)) == [1, 2, 3], "each has an account of its own")
    for child in 11...14 as ClosedRange<UInt64> { tree.adopt(child, under: 1) }
    check(tree.setLimit(2).isEmpty && !tree.hasRoom(under: 1))
  }

  /// Against a model that looks at everything each time.
  @Test func randomHistories() {
    var random = seed("ChargeTreeTests")
    for _ in 0..<200 {
      var tree = ChargeTree(limit: random.number(0...4))
      var model = Model(limit: tree.limit)
      var fresh: UInt64 = 1
      for _ in 0..<200 {
        let known = model.payer.keys.sorted()
        let key = known.randomElement(using: &random)
        switch random.number(0...9) {
        case 0, 1:
          model.payer[fresh] = fresh
          if random.chance(20) {
            tree.addIntroducer(fresh)
            model.introducers.insert(fresh)
          }
          fresh += 1
        case 2...5:
          guard let key, !model.line.contains(key) else { continue }
          check(tree.hasRoom(under: key) == model.hasRoom(under: key))
          if model.hasRoom(under: key) {
            tree.adopt(fresh, under: key)
            model.payer[fresh] = model.introducers.contains(key) ? fresh : model.payer[key]!
            fresh += 1
          } else {
            tree.stop(key)
            model.line.append(key)
          }
        case 6:
          guard let key = model.line.randomElement(using: &random) else { continue }
          tree.leaveLine(key)
          model.line.removeAll { $0 == key }
        case 7:
          let limit = random.number(0...4)
          check(Set(tree.setLimit(limit)) == model.setLimit(limit))
        default:
          guard let key else { continue }
          check(tree.remove(key) == model.remove(key))
        }
        check(tree.stoppedCount == model.line.count)
        check(tree.chargedCount == model.payer.count { $0.key != $0.value })
      }
    }
  }

  private struct Model {
    var limit: Int
    /// Of every living wire; a wire that was not adopted pays for others only.
    var payer: [UInt64: UInt64] = [:]
    var introducers: Set<UInt64> = []
    var line: [UInt64] = []

    func charged(_ account: UInt64) -> Int { payer.count { $0.value == account && $0.key != account } }

    func hasRoom(under key: UInt64) -> Bool { introducers.contains(key) || charged(payer[key]!) < limit }

    mutating func remove(_ key: UInt64) -> UInt64? {
      let account = payer.removeValue(forKey: key)!
      introducers.remove(key)
      line.removeAll { $0 == key }
      guard charged(account) < limit else { return nil }
      guard let index = line.firstIndex(where: { payer[$0] == account }) else { return nil }
      return line.remove(at: index)
    }

    mutating func setLimit(_ limit: Int) -> Set<UInt64> {
      self.limit = limit
      var going: Set<UInt64> = []
      for account in Set(line.map { payer[$0]! }) {
        let places = max(0, limit - charged(account))
        going.formUnion(line.filter { payer[$0] == account }.prefix(places))
      }
      line.removeAll { going.contains($0) }
      return going
    }
  }
}

@Suite struct CopyCreditTests {
  @Test func creditComesBackInBatches() {
    var credit = CopyCredit()
    check(credit.available == Limits.unadoptedCopies)
    var given = 0
    for _ in 0..<100 {
      check(credit.admit(1))
      guard let count = credit.settle() else { continue }
      check(count == Limits.creditBatch)
      credit.wasGiven(count)
      given += count
    }
    check(given == 100 && credit == CopyCredit())
  }

  @Test func nobodyGoesOverIt() {
    var credit = CopyCredit()
    check(!credit.admit(Limits.unadoptedCopies + 1) && credit == CopyCredit())
    check(credit.admit(Limits.unadoptedCopies) && !credit.admit(1))
  }

  /// A holder that is out of credit waits for a word that comes when all it sent is dealt with, whatever was owed.
  @Test func noHolderWaitsForEver() {
    for ahead in 0..<Limits.creditBatch {
      var credit = CopyCredit()
      var holder = Limits.unadoptedCopies
      for _ in 0..<ahead { holder -= credit.admit(1) && credit.settle() == nil ? 1 : 0 }
      for _ in 0..<holder { check(credit.admit(1)) }
      let words = (0..<holder).compactMap { _ in
        let word = credit.settle()
        if let word { credit.wasGiven(word) }
        return word
      }
      check(words.reduce(0, +) > 0)
    }
  }

  /// What the holder did not take in time is told again with the next one.
  @Test func anUndeliveredWordIsKept() {
    var credit = CopyCredit()
    for _ in 0..<Limits.creditBatch { check(credit.admit(1)) }
    for _ in 1..<Limits.creditBatch { check(credit.settle() == nil) }
    check(credit.settle() == 4)
    check(credit.admit(1) && credit.settle() == 5)
  }
}
