/// Whose turn it is among the members of a set that have mail. Members take turns: who was served longest ago comes
/// first, so a flooded member cannot starve another one. Pure: knows keys and no ports.
///
/// A round serves each member once that had mail when it began; then the kernel is asked again.
struct TurnOrder {
  private var round: [UInt64] = []
  private var head = 0
  /// For the next round.
  private var upcoming: [UInt64] = []
  private var listed: Set<UInt64> = []
  private var lastTurn: [UInt64: UInt64] = [:]
  private var turn: UInt64 = 0

  var isRoundOver: Bool { head == round.count }
  var hasWork: Bool { !listed.isEmpty }

  /// The member may have mail. It stands in the order once.
  mutating func note(_ key: UInt64) {
    if listed.insert(key).inserted { upcoming.append(key) }
  }

  mutating func beginRound() {
    round = upcoming
    head = 0
    upcoming.removeAll(keepingCapacity: true)
    if round.count > 1 { round.sort { (lastTurn[$0] ?? 0, $0) < (lastTurn[$1] ?? 0, $1) } }
  }

  mutating func next() -> UInt64? {
    while head < round.count {
      let key = round[head]
      head += 1
      guard listed.remove(key) != nil else { continue }
      turn += 1
      lastTurn[key] = turn
      return key
    }
    return nil
  }

  mutating func remove(_ key: UInt64) {
    if listed.remove(key) != nil { upcoming.removeAll { $0 == key } }
    lastTurn[key] = nil
  }
}
