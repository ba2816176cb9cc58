import LinuxSystem

/// A packet in hand: received from its wire, not yet delivered.
struct StagedPacket {
  let buffer: PacketBuffer
  let descriptors: DescriptorList?
  let sender: Credentials?
  var decoder: PacketDecoder
}

/// One wire of a mailbox and what of it is in hand.
struct WireSlot {
  let end: MailboxEnd
  let cookie: UInt64
  var staged: StagedPacket?
  var lastStamp = Int64.min
}

/// The wires of one mailbox under keys that are never used twice: a stale event of the kernel finds nothing.
struct WireTable {
  private var slots: [WireSlot?] = []
  private var generations: [UInt32] = []
  private var free: [Int] = []
  private var cookies: Set<UInt64> = []
  private(set) var count = 0
  /// Wires that count for no-senders.
  private(set) var senders = 0

  /// Nil when this very socket is already a wire here, be it under another descriptor.
  mutating func insert(_ end: MailboxEnd, cookie: UInt64) -> UInt64? {
    guard cookies.insert(cookie).inserted else { return nil }
    let slot = WireSlot(end: end, cookie: cookie)
    count += 1
    if !end.isSendOnce { senders += 1 }
    if let index = free.popLast() {
      slots[index] = slot
      return key(index)
    }
    slots.append(slot)
    generations.append(1)
    return key(slots.count - 1)
  }

  @discardableResult
  mutating func remove(_ key: UInt64) -> WireSlot? {
    guard let index = index(key), let slot = slots[index] else { return nil }
    slots[index] = nil
    generations[index] = Self.generation(after: generations[index])
    free.append(index)
    cookies.remove(slot.cookie)
    count -= 1
    if !slot.end.isSendOnce { senders -= 1 }
    return slot
  }

  subscript(key: UInt64) -> WireSlot? {
    guard let index = index(key) else { return nil }
    return slots[index]
  }

  /// Puts a received packet in hand.
  mutating func stage(_ packet: StagedPacket, stamp: Int64, on key: UInt64) {
    guard let index = index(key), slots[index] != nil else { return }
    slots[index]!.staged = packet
    slots[index]!.lastStamp = stamp
  }

  /// What is left in hand after a delivery; nil when the packet is used up.
  mutating func setStaged(_ packet: StagedPacket?, on key: UInt64) {
    guard let index = index(key), slots[index] != nil else { return }
    slots[index]!.staged = packet
  }

  var only: UInt64? {
    guard count == 1, let index = slots.firstIndex(where: { $0 != nil }) else { return nil }
    return key(index)
  }

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
