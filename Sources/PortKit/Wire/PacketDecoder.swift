import LinuxSystem

/// Where the parts of one frame lie in its packet. Checked: every range is inside the packet.
struct Frame {
  var header: FrameHeader
  var table: Range<Int>
  var body: Range<Int>
  /// The frame's first descriptor among those of the packet.
  var firstDescriptor: Int
  var descriptors = 0

  /// The right table and the descriptors lie in a carrier, which is the frame's only descriptor.
  var isCarried: Bool { header.flags & FrameHeader.hasCarrier != 0 }
}

/// Walks over the frames of one packet. Pure: sees bytes and counts, touches no descriptor. What it lets through is
/// well formed; anything else is a ``FrameError``, and nothing of the packet may be used further.
struct PacketDecoder {
  private let size: Int
  private let descriptorCount: Int
  /// The kernel dropped descriptors on the way in, so fewer than announced may have arrived.
  private let descriptorsWereLost: Bool
  private var offset = 0
  private var nextDescriptor = 0

  /// - Parameter firstDescriptor: of a packet whose first frames are gone; so many places of its list are empty.
  init(size: Int, descriptorCount: Int, descriptorsWereLost: Bool, firstDescriptor: Int = 0) {
    self.size = size
    self.descriptorCount = descriptorCount
    self.descriptorsWereLost = descriptorsWereLost
    nextDescriptor = firstDescriptor
  }

  /// What was not walked over yet, for a port that moves.
  var rest: (bytes: Range<Int>, firstDescriptor: Int, descriptorsWereLost: Bool) {
    (offset..<size, nextDescriptor, descriptorsWereLost)
  }

  var isAtEnd: Bool { offset == size && size > 0 }

  /// Nil at the end of the packet.
  @inline(__always)
  mutating func next(_ packet: PacketBuffer) throws(FrameError) -> Frame? {
    if isAtEnd {
      guard nextDescriptor == descriptorCount || descriptorsWereLost else {
        throw .descriptorCount(announced: nextDescriptor, arrived: descriptorCount)
      }
      return nil
    }
    let header = try FrameHeader(decoding: packet.bytes(offset..<size))
    var frame = try locate(header)
    if !header.kind.isUserMessage {
      frame.descriptors = header.kind.controlDescriptors
    } else if frame.isCarried {
      frame.descriptors = 1
    } else if header.rights > 0 {
      frame.descriptors = try Self.check(table: packet.bytes(frame.table), of: header, first: frame.firstDescriptor)
    }
    offset += Int(header.frameSize)
    nextDescriptor += frame.descriptors
    guard nextDescriptor <= descriptorCount || descriptorsWereLost else {
      throw .descriptorCount(announced: nextDescriptor, arrived: descriptorCount)
    }
    return frame
  }

  /// The next frame of a packet that was walked over before, if it is a message without rights: its header and where
  /// its body lies. Nothing moves on for any other.
  @inline(__always)
  mutating func nextPlain(_ packet: PacketBuffer) -> (header: FrameHeader, body: Range<Int>)? {
    if isAtEnd { return nil }
    guard let header = FrameHeader(plain: packet.bytes(offset..<size)) else { return nil }
    let start = offset + FrameHeader.size
    offset += Int(header.frameSize)
    return (header, start..<offset)
  }

  /// The header of a packet that is one whole message without rights, as nearly all are: a walk over it would find
  /// nothing else.
  @inline(__always)
  func sole(_ packet: PacketBuffer) -> FrameHeader? {
    guard offset == 0, descriptorCount == 0, !descriptorsWereLost, size <= FrameHeader.size + Limits.inlineBody,
      let header = FrameHeader(plain: packet.bytes(0..<size)), Int(header.frameSize) == size
    else { return nil }
    return header
  }

  private func locate(_ header: FrameHeader) throws(FrameError) -> Frame {
    let available = size - offset
    let isCarried = header.flags & FrameHeader.hasCarrier != 0
    let tableSize = isCarried ? 0 : Int(header.rights) * RightEntry.size
    guard header.frameSize >= FrameHeader.size + tableSize, header.frameSize <= available else {
      throw .badSize(header.frameSize, available: available)
    }
    let start = offset + FrameHeader.size
    let body = (start + tableSize)..<(offset + Int(header.frameSize))
    guard body.count <= Limits.inlineBody else { throw .bodyTooLarge(body.count) }
    let mostRights = isCarried ? Limits.rightsPerMessage : Limits.rightsPerPacket
    guard header.rights <= mostRights, header.rights > 0 || !isCarried else { throw .badDescriptorTable }
    if !header.kind.isUserMessage {
      guard header.rights == 0, header.flags == 0, body.isEmpty else { throw .unexpected("data in a control frame") }
    }
    guard header.flags & ~(FrameHeader.hasReplyRight | FrameHeader.hasCarrier) == 0 else { throw .nonZeroReserved }
    return Frame(header: header, table: start..<(start + tableSize), body: body, firstDescriptor: nextDescriptor)
  }

  /// Checks a right table and counts its descriptors, which follow each other from `first` on.
  static func check(table: Span<UInt8>, of header: FrameHeader, first: Int) throws(FrameError) -> Int {
    var next = first
    for index in 0..<Int(header.rights) {
      let entry = try Self.entry(index, of: table)
      guard entry.kind.hasDescriptor else { continue }
      guard entry.index == next else { throw .badDescriptorTable }
      next += 1
    }
    if header.flags & FrameHeader.hasReplyRight != 0 {
      guard header.rights > 0, try Self.entry(0, of: table).kind == .sendOnce, header.kind != .call else {
        throw .unexpected("a reply right of this kind")
      }
    }
    return next - first
  }

  static func entry(_ index: Int, of table: Span<UInt8>) throws(FrameError) -> RightEntry {
    try RightEntry(decoding: table.extracting((index * RightEntry.size)..<((index + 1) * RightEntry.size)))
  }
}
