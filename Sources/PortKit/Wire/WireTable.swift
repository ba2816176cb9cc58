import LinuxSystem

/// A packet in hand: received from its wire, not yet delivered.
struct StagedPacket {
  let buffer: PacketBuffer
  let descriptors: DescriptorList?
  let sender: Credentials?
  var decoder: PacketDecoder
  /// Where it is beside here.
  var place = Place.hand
  /// Frames that were delivered.
  var delivered = 0

  enum Place {
    case hand
    /// It lies in the wire still.
    case wire
    /// The port's keeper has a copy.
    case keeper
  }
}

/// One wire of a mailbox and what of it is in hand. An object, because a copy of all this for each message would cost
/// more than the rest of its delivery.
final class WireSlot {
  let end: MailboxEnd
  let cookie: UInt64
  var staged: StagedPacket?
  var lastStamp = Int64.min
  var credit = CopyCredit()
  var powers: WirePowers = []
  /// A packet was seen that lies in the wire still. It is in line like one in hand.
  var isSeen = false
  /// The packet in hand begins with a copy that cannot be adopted now: nothing more is read.
  var isStopped = false
  /// The wire was stopped for so long that copies without room are refused.
  var refuses = false
  /// Descriptors that came with the packet in hand, until it is used up.
  var held = 0

  init(end: MailboxEnd, cookie: UInt64) {
    self.end = end
    self.cookie = cookie
  }

  /// Takes the next frame of the packet in hand, if it is a message without rights and the packet is nowhere else.
  func takePlain() -> PlainFrame? { Self.takePlain(&staged) }

  /// One access to the object for all that is done with the packet.
  private static func takePlain(_ staged: inout StagedPacket?) -> PlainFrame? {
    guard staged?.place == .hand, let buffer = staged?.buffer, let (header, body) = staged?.decoder.nextPlain(buffer)
    else { return nil }
    let isLast = staged?.decoder.isAtEnd ?? true
    let plain = PlainFrame(header: header, body: body, buffer: buffer, sender: staged?.sender, isLast: isLast)
    if isLast { staged = nil }
    return plain
  }

  /// A received packet comes in hand.
  func stage(_ packet: consuming StagedPacket, stamp: Int64) {
    staged = consume packet
    lastStamp = stamp
  }
}

/// A message without rights, as it lies in its packet.
struct PlainFrame {
  let header: FrameHeader
  let body: Range<Int>
  let buffer: PacketBuffer
  let sender: Credentials?
  let isLast: Bool
}

/// The wires of one mailbox under keys that are never used twice: a stale event of the kernel finds nothing.
struct WireTable {
  private var slots: [WireSlot?] = []
  private var generations: [UInt32] = []
  private var free: [Int] = []
  private var cookies: Set<UInt64> = []
  private(set) var count = 0
  /// The sum of the places in use: of a single wire it is the place.
  private var places = 0
  /// Wires that count for no-senders.
  private(set) var senders = 0
  /// The sum of what the wires hold.
  private(set) var held = 0

  /// Nil when this very socket is already a wire here, be it under another descriptor.
  mutating func insert(_ end: MailboxEnd, cookie: UInt64) -> UInt64? {
    guard cookies.insert(cookie).inserted else { return nil }
    let slot = WireSlot(end: end, cookie: cookie)
    count += 1
    if !end.isSendOnce { senders += 1 }
    let index = free.popLast() ?? slots.count
    if index == slots.count {
      slots.append(slot)
      generations.append(1)
    } else {
      slots[index] = slot
    }
    places += index
    return key(index)
  }

  @discardableResult
  mutating func remove(_ key: UInt64) -> WireSlot? {
    guard let index = index(key), let slot = slots[index] else { return nil }
    slots[index] = nil
    generations[index] = Self.generation(after: generations[index])
    free.append(index)
    places -= index
    cookies.remove(slot.cookie)
    count -= 1
    if !slot.end.isSendOnce { senders -= 1 }
    letGo(slot)
    return slot
  }

  subscript(key: UInt64) -> WireSlot? {
    guard let index = index(key) else { return nil }
    return slots[index]
  }

  /// Of a wire that moved here.
  mutating func setHistory(lastStamp: Int64, credit: CopyCredit, on key: UInt64) {
    guard let index = index(key) else { return }
    slots[index]?.lastStamp = lastStamp
    slots[index]?.credit = credit
  }

  /// What is left in hand after a delivery; nil when the packet is used up.
  mutating func setStaged(_ packet: StagedPacket?, on key: UInt64) {
    guard let index = index(key) else { return }
    slots[index]?.staged = packet
  }

  /// A packet that lies in the wire still.
  mutating func see(stamp: Int64, on key: UInt64) {
    guard let index = index(key) else { return }
    slots[index]?.isSeen = true
    slots[index]?.lastStamp = stamp
  }

  mutating func setSeen(_ isSeen: Bool, on key: UInt64) {
    guard let index = index(key) else { return }
    slots[index]?.isSeen = isSeen
  }

  mutating func setPowers(_ powers: WirePowers, on key: UInt64) {
    guard let index = index(key) else { return }
    slots[index]?.powers = powers
  }

  mutating func setStopped(_ isStopped: Bool, on key: UInt64) {
    guard let index = index(key) else { return }
    slots[index]?.isStopped = isStopped
  }

  mutating func hold(_ count: Int, on slot: WireSlot) {
    slot.held += count
    held += count
  }

  mutating func letGo(_ slot: WireSlot) {
    held -= slot.held
    slot.held = 0
  }

  /// Nil when there is no such wire.
  mutating func withCredit<Result>(of key: UInt64, _ body: (inout CopyCredit) -> Result) -> Result? {
    guard let slot = self[key] else { return nil }
    return body(&slot.credit)
  }

  func contains(cookie: UInt64) -> Bool { cookies.contains(cookie) }

  var only: UInt64? { count == 1 ? key(places) : nil }

  var keys: [UInt64] { slots.indices.filter { slots[$0] != nil }.map(key) }

  /// 31 bits, never 0: a key is neither the doorbell's nor one of a watch.
  static func generation(after last: UInt32) -> UInt32 { last % 0x7fff_ffff + 1 }

  private func key(_ index: Int) -> UInt64 { UInt64(generations[index]) << 32 | UInt64(index) }

  private func index(_ key: UInt64) -> Int? {
    let index = Int(key & 0xffff_ffff)
    guard index < slots.count, generations[index] == UInt32(key >> 32) else { return nil }
    return index
  }
}
