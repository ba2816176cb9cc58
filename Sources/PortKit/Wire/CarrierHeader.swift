import LinuxSystem

/// The fixed header of each packet in a carrier, little-endian.
///
/// ```
///  0  version          1     8  descriptors of this packet   2
///  1  kind             1    10  reserved, zero               2
///  2  1: the seal      1    12  descriptors of the carrier   4  in the seal, else zero
///  3  reserved, zero   1    16  bytes of the carrier         8  in the seal, else zero
///  4  packet's number  4    24  reserved, zero               8
/// ```
struct CarrierHeader: Hashable, Sendable {
  static let size = 32
  static let currentVersion: UInt8 = 1

  enum Kind: UInt8, Sendable {
    case content = 1
    /// The descriptors are carriers, whose contents follow each other.
    case index = 2
  }

  var kind: Kind
  var isSeal = false
  var number: UInt32
  var descriptors: UInt16 = 0
  var totalDescriptors: UInt32 = 0
  var totalBytes: UInt64 = 0

  init(kind: Kind, number: Int, descriptors: Int) {
    self.kind = kind
    self.number = UInt32(number)
    self.descriptors = UInt16(descriptors)
  }

  init(seal kind: Kind, number: Int, totalDescriptors: Int, totalBytes: Int) {
    self.init(kind: kind, number: number, descriptors: 0)
    isSeal = true
    self.totalDescriptors = UInt32(totalDescriptors)
    self.totalBytes = UInt64(totalBytes)
  }

  init(decoding bytes: Span<UInt8>) throws(FrameError) {
    guard bytes.count >= Self.size else { throw bytes.isEmpty ? .empty : .shortFrame(bytes: bytes.count) }
    guard bytes[0] == Self.currentVersion else { throw .unknownVersion(bytes[0]) }
    guard let kind = Kind(rawValue: bytes[1]) else { throw .unknownKind(bytes[1]) }
    guard bytes[2] <= 1, bytes[3] == 0, bytes.loadLittleEndian(UInt16.self, at: 10) == 0,
      bytes.loadLittleEndian(UInt64.self, at: 24) == 0
    else { throw .nonZeroReserved }
    self.kind = kind
    isSeal = bytes[2] == 1
    number = bytes.loadLittleEndian(at: 4)
    descriptors = bytes.loadLittleEndian(at: 8)
    totalDescriptors = bytes.loadLittleEndian(at: 12)
    totalBytes = bytes.loadLittleEndian(at: 16)
    let hasTotals = totalDescriptors != 0 || totalBytes != 0
    let hasContent = descriptors != 0 || bytes.count > Self.size
    // A packet that brings nothing could be followed by any number of its like.
    guard isSeal ? !hasContent : hasContent && !hasTotals else { throw .badDescriptorTable }
  }

  func encoded() -> [UInt8] {
    var writer = MessageWriter()
    writer.write(Self.currentVersion)
    writer.write(kind.rawValue)
    writer.write(isSeal)
    writer.write(UInt8(0))
    writer.write(number)
    writer.write(descriptors)
    writer.write(UInt16(0))
    writer.write(totalDescriptors)
    writer.write(totalBytes)
    writer.write(UInt64(0))
    return writer.bytes
  }
}
