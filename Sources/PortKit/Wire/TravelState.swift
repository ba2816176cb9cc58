/// What the next holder of a moved send right must know of its wire, beside the socket. Pure.
struct TravelState: Hashable, Sendable {
  /// Packets of which a travelling right tells one by one. A queue of the default length fits.
  static let packetsKept = 5

  /// Call numbers are unique for the whole life of a wire, whoever holds it: else a late reply to an earlier holder
  /// could answer a later one.
  var nextCall: UInt64 = 0
  /// Messages that the port lets wait on the wire.
  var queueLimit = 0
  var copyCredit = 0
  /// Of a right that was never used.
  static let fresh = TravelState(queueLimit: Limits.queueLimit, copyCredit: Limits.unadoptedCopies)
  /// Of what is no send right.
  static let none = TravelState()

  /// What earlier holders sent and the port has not taken, the oldest first.
  private(set) var packets: [QueueLedger.Packet] = []

  /// Of more packets than fit the last ones count as one: the next holder then thinks of them as unread until all are
  /// read, and never sends more than the limit.
  mutating func setPackets(_ all: some Collection<QueueLedger.Packet>) {
    packets = Array(all.prefix(Self.packetsKept - 1))
    let rest = all.dropFirst(Self.packetsKept - 1)
    if rest.isEmpty { return }
    packets.append(
      QueueLedger.Packet(
        charge: rest.reduce(0) { $0 + $1.charge }, messages: rest.reduce(0) { $0 + $1.messages }))
  }
}
