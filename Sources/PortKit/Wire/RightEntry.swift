import LinuxSystem

/// One right in a frame's descriptor table.
///
/// ```
///  0  kind             1     4  index among the packet's descriptors  4
///  1  disposition      1     8  next call number                      8
///  2  credit           1    16  queue limit                           4
///  3  unread packets   1    20  reserved, zero                        4
/// ```
/// Then five times charge and messages of an unread packet, 4 bytes each. From the credit on everything but the index
/// is the ``TravelState`` of a send right and zero for the others. Null and dead names have no descriptor and index 0.
struct RightEntry: Hashable, Sendable {
  static let size = 24 + TravelState.packetsKept * 8

  enum Kind: UInt8, Sendable, CaseIterable {
    case send = 1
    case sendOnce = 2
    /// The descriptor is a carrier with the whole port.
    case receive = 3
    case null = 4
    case dead = 5

    /// Mach's disposition number; a right that was made for the message has moved into it as well.
    var disposition: UInt8 {
      switch self {
      case .receive: 16
      case .send: 17
      case .sendOnce: 18
      case .null, .dead: 0
      }
    }

    var hasDescriptor: Bool { self != .null && self != .dead }
  }

  var kind: Kind
  var index: UInt32
  var state: TravelState

  init(kind: Kind, index: Int, state: TravelState = .fresh) {
    self.kind = kind
    self.index = kind.hasDescriptor ? UInt32(index) : 0
    self.state = kind == .send ? state : .none
  }

  init(decoding bytes: Span<UInt8>) throws(FrameError) {
    guard let kind = Kind(rawValue: bytes[0]) else { throw .unknownRight(bytes[0]) }
    self.kind = kind
    index = bytes.loadLittleEndian(at: 4)
    state = try TravelState(decoding: bytes)
    guard bytes[1] == kind.disposition, index == 0 || kind.hasDescriptor else { throw .badDescriptorTable }
    guard kind == .send || state == .none else { throw .badDescriptorTable }
  }

  func append(to bytes: inout [UInt8]) {
    var writer = MessageWriter()
    writer.write(kind.rawValue)
    writer.write(kind.disposition)
    writer.write(UInt8(state.copyCredit))
    writer.write(UInt8(state.packets.count))
    writer.write(index)
    writer.write(state.nextCall)
    writer.write(UInt32(state.queueLimit))
    writer.write(UInt32(0))
    for place in 0..<TravelState.packetsKept {
      let packet = place < state.packets.count ? state.packets[place] : QueueLedger.Packet(charge: 0, messages: 0)
      writer.write(UInt32(clamping: packet.charge))
      writer.write(UInt32(clamping: packet.messages))
    }
    bytes.append(contentsOf: writer.bytes)
  }
}

extension TravelState {
  /// Out of a whole entry. What does not fit the limits of an honest holder is refused.
  fileprivate init(decoding bytes: Span<UInt8>) throws(FrameError) {
    let count = Int(bytes[3])
    copyCredit = Int(bytes[2])
    nextCall = bytes.loadLittleEndian(at: 8)
    queueLimit = Int(bytes.loadLittleEndian(UInt32.self, at: 16))
    guard copyCredit <= Limits.unadoptedCopies, count <= Self.packetsKept, queueLimit <= Limits.largestQueueLimit,
      bytes.loadLittleEndian(UInt32.self, at: 20) == 0
    else { throw .badDescriptorTable }
    var packets: [QueueLedger.Packet] = []
    for place in 0..<Self.packetsKept {
      let charge = Int(bytes.loadLittleEndian(UInt32.self, at: 24 + place * 8))
      let messages = Int(bytes.loadLittleEndian(UInt32.self, at: 28 + place * 8))
      if place < count {
        packets.append(QueueLedger.Packet(charge: charge, messages: messages))
      } else if charge != 0 || messages != 0 {
        throw .badDescriptorTable
      }
    }
    setPackets(packets)
  }
}
