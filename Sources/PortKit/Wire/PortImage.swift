import LinuxSystem

/// A port on its way to another process, as bytes beside the descriptors of its wires: what the mailbox knows and the
/// kernel does not. Pure.
///
/// ```
///  0  version                1      16  no-senders sync              8
///  1  flags                  1      24  send-once notices in hand    4
///  2  reserved, zero         2      28  copy limit                   4
///  4  wires                  4     32  highest queue limit ever      4
///  8  staged packets         4     36  reserved, zero               28
/// 12  queue limit            4
/// ```
/// Then 24 bytes for each wire: flag "send-once" 1, credit for copies that the holder has 1 and is owed 1, powers of
/// its holder 1, wire that pays for it 4, stamp of its last packet 8, cookie of its other end 8.
/// Then each staged packet, 40 bytes and its frames. The descriptors are those of the wires, then those of the staged
/// packets, in order, then the control wire to the keeper if there is one.
struct PortImage: Equatable {
  struct Wire: Equatable {
    var isSendOnce: Bool
    var credit = CopyCredit()
    var powers: WirePowers = []
    /// The place of the wire that pays for it; often its own.
    var payer: Int
    var lastStamp: Int64
    var peerCookie: UInt64
  }

  struct Staged: Equatable {
    var wire: Int
    var rank: Int64
    var sender: Credentials?
    /// Places of the descriptors whose frames were delivered before the move.
    var firstDescriptor: Int
    var descriptors: Int
    var descriptorsWereLost: Bool
    var bytes: [UInt8]
  }

  static let headerSize = 64
  static let currentVersion: UInt8 = 1

  var hadSenders = false
  var acceptsAdoption = true
  /// What is left of it: the make-send count begins at 0 again.
  var noSendersSync: Int?
  var sendOnceNotices = 0
  var queueLimit = Limits.queueLimit
  var highestLimit = Limits.queueLimit
  var copyLimit = Limits.copiesPerRight
  var hasKeeper = false
  var wires: [Wire] = []
  var staged: [Staged] = []

  var descriptors: Int { staged.reduce(wires.count + (hasKeeper ? 1 : 0)) { $0 + $1.descriptors } }
}

extension PortImage {
  private static let hadSendersFlag: UInt8 = 1
  private static let acceptsAdoptionFlag: UInt8 = 2
  private static let armedFlag: UInt8 = 4
  private static let keptFlag: UInt8 = 8
  private static let credentialsFlag: UInt8 = 1
  private static let lostFlag: UInt8 = 2

  // MARK: Out

  func encoded() -> [UInt8] {
    var writer = MessageWriter()
    writer.write(Self.currentVersion)
    var flags: UInt8 = 0
    if hadSenders { flags |= Self.hadSendersFlag }
    if acceptsAdoption { flags |= Self.acceptsAdoptionFlag }
    if noSendersSync != nil { flags |= Self.armedFlag }
    if hasKeeper { flags |= Self.keptFlag }
    writer.write(flags)
    writer.write(UInt16(0))
    writer.write(UInt32(wires.count))
    writer.write(UInt32(staged.count))
    writer.write(UInt32(queueLimit))
    writer.write(UInt64(noSendersSync ?? 0))
    writer.write(UInt32(sendOnceNotices))
    writer.write(UInt32(clamping: copyLimit))
    writer.write(UInt32(highestLimit))
    for _ in 0..<7 { writer.write(UInt32(0)) }
    for wire in wires { wire.write(to: &writer) }
    var bytes = writer.bytes
    for packet in staged { packet.append(to: &bytes) }
    return bytes
  }

  // MARK: In

  init(decoding bytes: [UInt8]) throws(FrameError) {
    do {
      try self.init(reading: bytes)
    } catch {
      throw .unexpected("a moved port of this form")
    }
    guard staged.allSatisfy({ $0.wire < wires.count }), Set(staged.map(\.wire)).count == staged.count else {
      throw .unexpected("a moved port with such packets in hand")
    }
  }

  private init(reading bytes: [UInt8]) throws(MessageReaderError) {
    var reader = MessageReader(bytes.span)
    let version = try reader.read(UInt8.self)
    let flags = try reader.read(UInt8.self)
    let all = Self.hadSendersFlag | Self.acceptsAdoptionFlag | Self.armedFlag | Self.keptFlag
    try reader.expect(version == Self.currentVersion && flags & ~all == 0)
    try reader.expectZeros(2)
    let wireCount = Int(try reader.read(UInt32.self))
    let stagedCount = Int(try reader.read(UInt32.self))
    queueLimit = Int(try reader.read(UInt32.self))
    try reader.expect(queueLimit <= Limits.largestQueueLimit)
    let sync = try reader.read(UInt64.self)
    try reader.expect(sync <= UInt64(Int.max) && (sync == 0 || flags & Self.armedFlag != 0))
    sendOnceNotices = Int(try reader.read(UInt32.self))
    try reader.expect(sendOnceNotices <= Limits.movedNotices)
    copyLimit = Int(try reader.read(UInt32.self))
    highestLimit = Int(try reader.read(UInt32.self))
    try reader.expect(highestLimit <= Limits.largestQueueLimit)
    try reader.expectZeros(28)
    hadSenders = flags & Self.hadSendersFlag != 0
    acceptsAdoption = flags & Self.acceptsAdoptionFlag != 0
    noSendersSync = flags & Self.armedFlag != 0 ? Int(sync) : nil
    hasKeeper = flags & Self.keptFlag != 0
    for _ in 0..<wireCount {
      wires.append(try Wire(from: &reader, of: wireCount))
    }
    for _ in 0..<stagedCount { staged.append(try Staged(from: &reader)) }
    try reader.expectEnd()
  }
}

extension PortImage.Wire {
  func write(to writer: inout MessageWriter) {
    writer.write(isSendOnce)
    writer.write(UInt8(credit.available))
    // What is owed beyond that the holder has already.
    writer.write(UInt8(min(credit.owed, Limits.unadoptedCopies - credit.available)))
    writer.write(powers.rawValue)
    writer.write(UInt32(payer))
    writer.write(lastStamp)
    writer.write(peerCookie)
  }

  @_lifetime(reader: copy reader)
  init(from reader: inout MessageReader, of count: Int) throws(MessageReaderError) {
    isSendOnce = try reader.readBool()
    let (available, owed) = (try reader.read(UInt8.self), try reader.read(UInt8.self))
    try reader.expect(Int(available) + Int(owed) <= Limits.unadoptedCopies)
    credit = CopyCredit(available: Int(available), owed: Int(owed))
    powers = WirePowers(rawValue: try reader.read(UInt8.self))
    try reader.expect(WirePowers.all.contains(powers))
    payer = Int(try reader.read(UInt32.self))
    try reader.expect(payer < count)
    lastStamp = try reader.read()
    peerCookie = try reader.read()
  }
}

extension PortImage.Staged {
  fileprivate func append(to bytes: inout [UInt8]) {
    var writer = MessageWriter()
    writer.write(UInt32(wire))
    writer.write(UInt32(self.bytes.count))
    writer.write(rank)
    writer.write(sender?.processID ?? 0)
    writer.write(sender?.userID ?? 0)
    writer.write(sender?.groupID ?? 0)
    writer.write(UInt32(firstDescriptor))
    writer.write(UInt16(descriptors))
    writer.write((sender == nil ? 0 : PortImage.credentialsFlag) | (descriptorsWereLost ? PortImage.lostFlag : 0))
    writer.write(UInt8(0))
    writer.write(UInt32(0))
    bytes += writer.bytes
    bytes += self.bytes
  }

  @_lifetime(reader: copy reader)
  fileprivate init(from reader: inout MessageReader) throws(MessageReaderError) {
    wire = Int(try reader.read(UInt32.self))
    let size = Int(try reader.read(UInt32.self))
    rank = try reader.read()
    let (pid, uid, gid) = (try reader.read(Int32.self), try reader.read(UInt32.self), try reader.read(UInt32.self))
    firstDescriptor = Int(try reader.read(UInt32.self))
    descriptors = Int(try reader.read(UInt16.self))
    let flags = try reader.read(UInt8.self)
    try reader.expectZeros(5)
    try reader.expect(flags & ~(PortImage.credentialsFlag | PortImage.lostFlag) == 0)
    try reader.expect(size > 0 && size <= PacketBuffer.largeCapacity)
    try reader.expect(firstDescriptor <= Limits.rightsPerPacket && descriptors <= Limits.rightsPerPacket)
    descriptorsWereLost = flags & PortImage.lostFlag != 0
    sender =
      flags & PortImage.credentialsFlag != 0 ? Credentials(processID: pid, userID: uid, groupID: gid) : nil
    bytes = try reader.readBytes(size)
  }
}

extension MessageReader {
  func expect(_ condition: Bool) throws(MessageReaderError) {
    guard condition else { throw .invalidValue(0, offset: offset) }
  }

  @_lifetime(self: copy self)
  mutating func expectZeros(_ count: Int) throws(MessageReaderError) {
    let zeros = try readBytes(count)
    try expect(zeros.allSatisfy { $0 == 0 })
  }
}
