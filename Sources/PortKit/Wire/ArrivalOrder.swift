/// Decides which of the packets in hand is delivered next, so that one port has one causal order over all its wires:
/// if the send of m1 returned before the send of m2 began, m1 is delivered first.
///
/// The kernel stamps each packet with the wall clock when it is enqueued. A head may go when no older packet can still
/// be unseen: when its stamp is older than the clock reading before the last poll (that poll fetched every readable
/// wire), or when it was in hand before that poll began. The second rule carries on when the wall clock steps.
/// Pure: time and stamps come in as arguments.
struct ArrivalOrder {
  private struct Head {
    var rank: Int64
    let poll: Int
    let key: UInt64
  }

  enum Verdict: Equatable {
    case deliver(UInt64)
    /// An older packet may lie unseen in another wire: poll without waiting, then ask again.
    case poll
    case empty
  }

  /// Below every real stamp: for packets stamped before the clock went back.
  private static let beforeAllOthers: Int64 = -(1 << 62)

  private var heads: [Head] = []  // binary heap, smallest rank first
  private var lastDelivered: Head?
  private var lastPoll = 0
  private var lastPollTime = Int64.min

  var isEmpty: Bool { heads.isEmpty }
  var count: Int { heads.count }

  /// To be called with the wall clock before each poll, blocking ones too.
  mutating func beginPoll(now: Int64) {
    lastPoll += 1
    lastPollTime = now
  }

  /// A packet of the wire `key` is in hand. `previousStamp` is that of its predecessor on the same wire.
  mutating func insert(_ key: UInt64, stamp: Int64, previousStamp: Int64, now: () -> Int64) {
    if stamp < previousStamp { clockWentBack(now: now()) }
    var rank = stamp
    if stamp >= lastPollTime, stamp > now() { rank += Self.beforeAllOthers }
    push(Head(rank: rank, poll: lastPoll, key: key))
  }

  /// - Parameter hasOneWire: then its own order is the order.
  mutating func next(hasOneWire: Bool) -> Verdict {
    guard let first = heads.first else { return .empty }
    guard hasOneWire || first.rank < lastPollTime || first.poll < lastPoll else { return .poll }
    let head = popFirst()
    lastDelivered = head
    return .deliver(head.key)
  }

  /// All heads with their ranks, for a port that moves. Ranks mean the same in every process of the machine.
  var ranks: [(key: UInt64, rank: Int64)] { heads.map { ($0.key, $0.rank) } }

  /// A head of a port that moved here. It is delivered when a poll has begun since.
  mutating func restore(_ key: UInt64, rank: Int64) { push(Head(rank: rank, poll: lastPoll, key: key)) }

  /// The packet delivered from last has more to give: it keeps its rank.
  mutating func putBackLast() {
    guard let head = lastDelivered else { return }
    lastDelivered = nil
    push(head)
  }

  /// No order is promised across a backward step, but nothing may wait until the clock has caught up.
  private mutating func clockWentBack(now: Int64) {
    lastPollTime = .min
    let old = heads
    heads.removeAll(keepingCapacity: true)
    for var head in old {
      if head.rank > now { head.rank += Self.beforeAllOthers }
      push(head)
    }
  }

  private mutating func push(_ head: Head) {
    heads.append(head)
    var child = heads.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      if heads[parent].rank <= heads[child].rank { return }
      heads.swapAt(parent, child)
      child = parent
    }
  }

  private mutating func popFirst() -> Head {
    let first = heads[0]
    let last = heads.removeLast()
    if heads.isEmpty { return first }
    heads[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      if child >= heads.count { return first }
      if child + 1 < heads.count, heads[child + 1].rank < heads[child].rank { child += 1 }
      if heads[parent].rank <= heads[child].rank { return first }
      heads.swapAt(parent, child)
      parent = child
    }
  }
}
