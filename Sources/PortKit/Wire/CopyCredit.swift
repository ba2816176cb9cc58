/// How many copies a wire's holder may have sent that its owner has not adopted: what lies unread in a wire counts
/// against everything that the holder's user may have in flight. The owner's side. Pure.
struct CopyCredit: Equatable {
  /// What the holder may still send, as far as the owner told it.
  private(set) var available = Limits.unadoptedCopies
  /// What the holder gets back with the next word to it.
  private(set) var owed = 0

  /// A packet with so many copies has come. False when an honest holder could not have sent it.
  mutating func admit(_ copies: Int) -> Bool {
    guard copies <= available else { return false }
    available -= copies
    return true
  }

  /// One of them was dealt with. Returns what the holder should be told now. It waits only with nothing left to send:
  /// then a whole batch is on its way to be adopted, so the word comes.
  ///
  /// An earlier owner may have brought more copies than there was credit for: no more is owed than there ever is.
  mutating func settle() -> Int? {
    owed = min(owed + 1, Limits.unadoptedCopies)
    return owed < Limits.creditBatch ? nil : owed
  }

  mutating func wasGiven(_ count: Int) {
    owed -= count
    available = min(available + count, Limits.unadoptedCopies)
  }
}
