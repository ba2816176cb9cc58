/// Decides which of the packets in hand is delivered next, so that one port has one causal order over all its wires:
/// if the send of m1 returned before the send of m2 began, m1 is delivered first.
///
/// The kernel stamps each packet with the wall clock when it is enqueued. A head may go when no older packet can still
/// be unseen: when its stamp is older than the clock reading before the last poll (that poll fetched every readable
/// wire), or when it was in hand before that poll began. The second rule carries on when the wall clock steps.
/// Pure: time and stamps come in as arguments.
struct ArrivalOrder {
  private struct Head: HeapElement {
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

  private var heads = Heap<Head>()
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
    heads.push(Head(rank: rank, poll: lastPoll, key: key))
  }

  /// - Parameter hasOneWire: then its own order is the order.
  mutating func next(hasOneWire: Bool) -> Verdict {
    guard let first = heads.first else { return .empty }
    guard hasOneWire || first.rank < lastPollTime || first.poll < lastPoll else { return .poll }
    lastDelivered = heads.popFirst()
    return .deliver(first.key)
  }

  /// All heads with their ranks, for a port that moves. Ranks mean the same in every process of the machine.
  var ranks: [(key: UInt64, rank: Int64)] { heads.elements.map { ($0.key, $0.rank) } }

  /// A head of a port that moved here. It is delivered when a poll has begun since.
  mutating func restore(_ key: UInt64, rank: Int64) { heads.push(Head(rank: rank, poll: lastPoll, key: key)) }

  /// The packet delivered from last has more to give: it keeps its rank.
  mutating func putBackLast() {
    guard let head = lastDelivered else { return }
    lastDelivered = nil
    heads.push(head)
  }

  /// No order is promised across a backward step, but nothing may wait until the clock has caught up.
  private mutating func clockWentBack(now: Int64) {
    lastPollTime = .min
    heads.rebuild { head in
      var head = head
      if head.rank > now { head.rank += Self.beforeAllOthers }
      return head
    }
  }
}
