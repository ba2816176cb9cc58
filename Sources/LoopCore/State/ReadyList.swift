/// What waits to be served in one mode, first come first served, one entry per turn.
///
/// Members (ports, descriptors) join and get a key that names this membership only: a key is never given out twice, so
/// a late event for a member that left reaches nobody. A member stands in the list at most once, and so do "the due
/// timers", which are one entry.
///
/// A *round* is what was in the list at the last look at the kernel. When the round is over, the shell looks again,
/// even if entries were put back meanwhile: this is what keeps a port that always has more from shutting out others.
///
/// Pure: no clock, no descriptors.
package struct ReadyList<Member> {
  package struct Key: Hashable, Sendable {
    /// Generation in the upper half, slot in the lower. Never 0, never all ones: those are free for other uses.
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
    fileprivate init(slot: Int, generation: UInt32) { rawValue = UInt64(generation) << 32 | UInt64(slot) }
    fileprivate var slot: Int { Int(rawValue & 0xFFFF_FFFF) }
    fileprivate var generation: UInt32 { UInt32(rawValue >> 32) }
  }

  package enum Entry {
    case timersDue
    case member(Member)
  }

  private struct Slot {
    var generation: UInt32 = 1
    var isListed = false
    var member: Member?
  }

  private static var timersKey: Key { Key(rawValue: 0) }

  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var line: [Key] = []
  private var head = 0
  private var leftInRound = 0
  private var timersAreListed = false
  package private(set) var memberCount = 0

  package init() {}

  // MARK: Members

  package mutating func join(_ member: Member) -> Key {
    precondition(memberCount < LoopLimits.itemsPerMode, "too many ports in one mode")
    memberCount += 1
    if let slot = freeSlots.popLast() {
      slots[slot].member = member
      return Key(slot: slot, generation: slots[slot].generation)
    }
    slots.append(Slot(member: member))
    return Key(slot: slots.count - 1, generation: 1)
  }

  /// Its entry in the line, if there is one, becomes stale and is passed over.
  package mutating func leave(_ key: Key) {
    precondition(isCurrent(key), "a port's key was used after it left")
    memberCount -= 1
    let generation = slots[key.slot].generation
    slots[key.slot] = Slot(generation: generation + 1)
    // A slot whose generations are used up is never given out again.
    if generation + 1 < .max { freeSlots.append(key.slot) }
  }

  package var members: [Member] { slots.compactMap(\.member) }

  @inline(__always)
  private func isCurrent(_ key: Key) -> Bool {
    key.slot < slots.count && slots[key.slot].generation == key.generation && slots[key.slot].member != nil
  }

  // MARK: The line

  package var isEmpty: Bool { head == line.count }

  /// True when nothing is left of what the last look at the kernel brought.
  @inline(__always)
  package var roundIsOver: Bool { leftInRound == 0 }

  /// Puts the member at the end of the line, unless it stands in it or has left.
  package mutating func markReady(_ key: Key) {
    guard isCurrent(key), !slots[key.slot].isListed else { return }
    slots[key.slot].isListed = true
    line.append(key)
  }

  package mutating func markTimersDue() {
    guard !timersAreListed else { return }
    timersAreListed = true
    line.append(Self.timersKey)
  }

  /// To be called after each look at the kernel, when its results are in the line.
  @inline(__always)
  package mutating func beginRound() { leftInRound = line.count - head }

  /// Takes the first entry that is not stale.
  package mutating func next() -> Entry? {
    while head < line.count {
      let key = line[head]
      head += 1
      leftInRound = max(0, leftInRound - 1)
      compact()
      if key == Self.timersKey {
        timersAreListed = false
        return .timersDue
      }
      guard isCurrent(key) else { continue }
      slots[key.slot].isListed = false
      return .member(slots[key.slot].member!)
    }
    return nil
  }

  /// Entries that were served leave room at the front; it is given back when it is half of the line.
  @inline(__always)
  private mutating func compact() {
    if head == line.count {
      line.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 64 && head * 2 >= line.count {
      line.removeFirst(head)
      head = 0
    }
  }

  package func checkInvariants() {
    precondition(head <= line.count && leftInRound <= line.count - head, "the round is part of the line")
    precondition(slots.count { $0.member != nil } == memberCount, "members are counted")
    let current = line[head...].filter { $0 != Self.timersKey && isCurrent($0) }
    precondition(Set(current).count == current.count, "a member stands in the line once")
    precondition(slots.count(where: \.isListed) == current.count, "listed members stand in the line")
    precondition(line[head...].count { $0 == Self.timersKey } == (timersAreListed ? 1 : 0), "timers are one entry")
  }
}
