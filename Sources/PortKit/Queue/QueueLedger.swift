/// What a holder sent on its wire and has not seen taken yet: so it knows how many of its messages wait in the queue.
///
/// The holder is the only writer of its wire, packets are taken in order, and the kernel tells how many of the bytes
/// that it charged for them are still unread. Pure: that figure comes in as an argument.
struct QueueLedger: Hashable, Sendable {
  struct Packet: Hashable, Sendable {
    /// What the kernel charges for the packet.
    var charge: Int
    /// Messages in it; 0 for a control frame.
    var messages: Int
  }

  /// The kernel may still count the last byte of a packet that is being freed.
  private static let rounding = 63

  private var packets: [Packet] = []
  private var first = 0
  private var charge = 0
  /// The number of the oldest packet in the ledger, counted over the wire's life at this holder.
  private var firstNumber: UInt64 = 0
  /// Messages that may be unread. Never too low.
  private(set) var unread = 0

  init() {}

  /// With the packets that an earlier holder of the wire sent.
  init(_ packets: [Packet]) {
    for packet in packets { append(packet) }
  }

  /// The number of the first packet that may not have been taken.
  var firstUnread: UInt64 { firstNumber }

  var isEmpty: Bool { first == packets.count }
  var outstanding: ArraySlice<Packet> { packets[first...] }

  /// Notes a packet that the kernel took. Returns its number.
  @discardableResult
  mutating func append(_ packet: Packet) -> UInt64 {
    packets.append(packet)
    charge += packet.charge
    unread += packet.messages
    return firstNumber &+ UInt64(packets.count - first - 1)
  }

  /// Forgets what was taken, now that `unreadBytes` are left.
  mutating func settle(unreadBytes: Int) {
    if unreadBytes <= Self.rounding { return removeAll() }
    var taken = charge - unreadBytes + Self.rounding
    while first < packets.count, packets[first].charge <= taken {
      taken -= packets[first].charge
      removeFirst()
    }
  }

  /// The packet of this number was answered, so it was taken, and all before it.
  mutating func settle(through number: UInt64) {
    while first < packets.count, number &- firstNumber < UInt64(1) << 63 { removeFirst() }
  }

  private mutating func removeFirst() {
    charge -= packets[first].charge
    unread -= packets[first].messages
    first += 1
    firstNumber &+= 1
    if first == packets.count {
      packets.removeAll(keepingCapacity: true)
      first = 0
    } else if first >= 64 && first * 2 >= packets.count {
      packets.removeFirst(first)
      first = 0
    }
  }

  private mutating func removeAll() {
    firstNumber &+= UInt64(packets.count - first)
    packets.removeAll(keepingCapacity: true)
    first = 0
    charge = 0
    unread = 0
  }
}
