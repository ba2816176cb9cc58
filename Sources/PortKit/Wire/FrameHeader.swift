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

  /// Of a frame that was checked before; nil unless it is a message or a call without rights.
  @inline(__always)
  init?(plain bytes: Span<UInt8>) {
    let kind = bytes[1]
    guard kind == FrameKind.message.rawValue || kind == FrameKind.call.rawValue else { return nil }
    flags = bytes.loadLittleEndian(at: 2)
    rights = bytes.loadLittleEndian(at: 12)
    if flags != 0 || rights != 0 { return nil }
    self.kind = kind == FrameKind.message.rawValue ? .message : .call
    frameSize = bytes.loadLittleEndian(at: 4)
    id = bytes.loadLittleEndian(at: 8)
    sequence = bytes.loadLittleEndian(at: 16)
    trace = bytes.loadLittleEndian(at: 24)
  }

  @inline(__always)
  func encode(into bytes: inout MutableSpan<UInt8>) {
    bytes[0] = Self.currentVersion
    bytes[1] = kind.rawValue
    bytes.storeLittleEndian(flags, at: 2)
    bytes.storeLittleEndian(frameSize, at: 4)
    bytes.storeLittleEndian(id, at: 8)
    bytes.storeLittleEndian(rights, at: 12)
    bytes.storeLittleEndian(UInt16(0), at: 14)
    bytes.storeLittleEndian(sequence, at: 16)
    bytes.storeLittleEndian(trace, at: 24)
  }
}
