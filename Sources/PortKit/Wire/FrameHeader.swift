import LinuxSystem

/// The fixed header of each frame, little-endian, modelled on `mach_msg_header_t`.
///
/// ```
///  0  version  1      4  size of the whole frame  4     16  sequence number  8
///  1  kind     1      8  message id               4     24  trace id         8
///  2  flags    2     12  rights                   2
///                    14  reserved, zero           2
/// ```
/// Then `rights` entries of ``RightEntry``, then the body up to `size`. With ``hasCarrier`` the entries lie in a
/// ``Carrier``, which is the frame's only descriptor.
struct FrameHeader: Hashable, Sendable {
  static let size = 32
  static let currentVersion: UInt8 = 1

  var kind: FrameKind
  /// Bit 0: the first right is the reply right of the message. Bit 1: the rights are in a carrier.
  var flags: UInt16 = 0
  var frameSize: UInt32
  var id: Int32 = 0
  var rights: UInt16 = 0
  var sequence: UInt64 = 0
  var trace: UInt64 = 0

  static let hasReplyRight: UInt16 = 1
  static let hasCarrier: UInt16 = 2

  init(kind: FrameKind, bodySize: Int = 0, id: Int32 = 0, rights: Int = 0, sequence: UInt64 = 0) {
    self.kind = kind
    self.frameSize = UInt32(Self.size + rights * RightEntry.size + bodySize)
    self.id = id
    self.rights = UInt16(rights)
    self.sequence = sequence
  }

  @inline(__always)
  init(decoding bytes: Span<UInt8>) throws(FrameError) {
    guard bytes.count >= Self.size else { throw bytes.isEmpty ? .empty : .shortFrame(bytes: bytes.count) }
    guard bytes[0] == Self.currentVersion else { throw .unknownVersion(bytes[0]) }
    guard let kind = FrameKind(rawValue: bytes[1]) else { throw .unknownKind(bytes[1]) }
    guard bytes.loadLittleEndian(UInt16.self, at: 14) == 0 else { throw .nonZeroReserved }
    self.kind = kind
    flags = bytes.loadLittleEndian(at: 2)
    frameSize = bytes.loadLittleEndian(at: 4)
    id = bytes.loadLittleEndian(at: 8)
    rights = bytes.loadLittleEndian(at: 12)
    sequence = bytes.loadLittleEndian(at: 16)
    trace = bytes.loadLittleEndian(at: 24)
  }

  /// Nil unless it is one of a user's message without rights.
  @inline(__always)
  init?(plain bytes: Span<UInt8>) {
    guard bytes.count >= Self.size else { return nil }
    let tag = bytes.loadLittleEndian(UInt64.self, at: 0)
    let idAndRights = bytes.loadLittleEndian(UInt64.self, at: 8)
    // No flags, no rights, and nothing in the reserved place.
    guard tag & 0xffff_00ff == UInt64(Self.currentVersion), idAndRights >> 32 == 0,
      let kind = FrameKind(rawValue: UInt8(truncatingIfNeeded: tag >> 8)), kind.isUserMessage
    else { return nil }
    self.kind = kind
    frameSize = UInt32(truncatingIfNeeded: tag >> 32)
    id = Int32(truncatingIfNeeded: idAndRights)
    sequence = bytes.loadLittleEndian(at: 16)
    trace = bytes.loadLittleEndian(at: 24)
  }

  /// As it lies in memory.
  @inline(__always)
  var words: InlineArray<4, UInt64> {
    let tag = UInt64(Self.currentVersion) | UInt64(kind.rawValue) << 8 | UInt64(flags) << 16
    return [
      (tag | UInt64(frameSize) << 32).littleEndian,
      (UInt64(UInt32(bitPattern: id)) | UInt64(rights) << 32).littleEndian,
      sequence.littleEndian,
      trace.littleEndian,
    ]
  }

  @inline(__always)
  func encode(into bytes: inout MutableSpan<UInt8>) {
    let words = words
    for index in words.indices { bytes.storeLittleEndian(UInt64(littleEndian: words[index]), at: 8 * index) }
  }
}
