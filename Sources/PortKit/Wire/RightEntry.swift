import LinuxSystem

/// One right in a frame's descriptor table.
///
/// ```
///  0  kind         1     4  index among the packet's descriptors  4
///  1  disposition  1     8  next call number of a moved right     8
///  2  reserved     2
/// ```
/// Null and dead names have no descriptor, and zeros after the kind. The reserved bytes are the place for small state
/// of a moved send right, such as its credit for copies; longer state belongs into a section behind the table.
struct RightEntry: Hashable, Sendable {
  static let size = 16

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
  /// Call numbers are unique for the whole life of a wire, whoever holds it: else a late reply to an earlier holder
  /// could answer a later one.
  var nextCall: UInt64

  init(kind: Kind, index: Int, nextCall: UInt64 = 0) {
    self.kind = kind
    self.index = kind.hasDescriptor ? UInt32(index) : 0
    self.nextCall = nextCall
  }

  init(decoding bytes: Span<UInt8>) throws(FrameError) {
    guard let kind = Kind(rawValue: bytes[0]) else { throw .unknownRight(bytes[0]) }
    guard bytes[1] == kind.disposition, bytes.loadLittleEndian(UInt16.self, at: 2) == 0 else {
      throw .badDescriptorTable
    }
    self.kind = kind
    index = bytes.loadLittleEndian(at: 4)
    nextCall = bytes.loadLittleEndian(at: 8)
    guard index == 0 || kind.hasDescriptor, nextCall == 0 || kind == .send else { throw .badDescriptorTable }
  }

  func append(to bytes: inout [UInt8]) {
    var writer = MessageWriter()
    writer.write(kind.rawValue)
    writer.write(kind.disposition)
    writer.write(UInt16(0))
    writer.write(index)
    writer.write(nextCall)
    bytes.append(contentsOf: writer.bytes)
  }
}
