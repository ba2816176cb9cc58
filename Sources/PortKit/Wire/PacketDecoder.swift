import LinuxSystem

/// Where the parts of one frame lie in its packet. Checked: every range is inside the packet.
struct Frame {
  var header: FrameHeader
  var table: Range<Int>
  var body: Range<Int>
  /// The frame's first descriptor among those of the packet.
  var firstDescriptor: Int
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

  init(size: Int, descriptorCount: Int, descriptorsWereLost: Bool) {
    self.size = size
    self.descriptorCount = descriptorCount
    self.descriptorsWereLost = descriptorsWereLost
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
    let frame = try locate(header)
    if header.rights > 0 { try check(table: packet.bytes(frame.table), of: frame) }
    offset += Int(header.frameSize)
    nextDescriptor += descriptors(of: header)
    guard nextDescriptor <= descriptorCount || descriptorsWereLost else {
      throw .descriptorCount(announced: nextDescriptor, arrived: descriptorCount)
    }
    return frame
  }

  private func descriptors(of header: FrameHeader) -> Int {
    header.kind.isUserMessage ? Int(header.rights) : header.kind.controlDescriptors
  }

  private func locate(_ header: FrameHeader) throws(FrameError) -> Frame {
    let available = size - offset
    let tableSize = Int(header.rights) * RightEntry.size
    guard header.frameSize >= FrameHeader.size + tableSize, header.frameSize <= available else {
      throw .badSize(header.frameSize, available: available)
    }
    let start = offset + FrameHeader.size
    let body = (start + tableSize)..<(offset + Int(header.frameSize))
    guard body.count <= Limits.inlineBody else { throw .bodyTooLarge(body.count) }
    guard header.rights <= Limits.rightsPerMessage else { throw .badDescriptorTable }
    if !header.kind.isUserMessage {
      guard header.rights == 0, header.flags == 0, body.isEmpty else { throw .unexpected("data in a control frame") }
    }
    guard header.flags & ~FrameHeader.hasReplyRight == 0 else { throw .nonZeroReserved }
    return Frame(header: header, table: start..<(start + tableSize), body: body, firstDescriptor: nextDescriptor)
  }

  private func check(table: Span<UInt8>, of frame: Frame) throws(FrameError) {
    for index in 0..<Int(frame.header.rights) {
      let entry = try Self.entry(index, of: table)
      guard entry.index == frame.firstDescriptor + index else { throw .badDescriptorTable }
    }
    if frame.header.flags & FrameHeader.hasReplyRight != 0 {
      guard try Self.entry(0, of: table).kind == .sendOnce, frame.header.kind != .call else {
        throw .unexpected("a reply right of this kind")
      }
    }
  }

  static func entry(_ index: Int, of table: Span<UInt8>) throws(FrameError) -> RightEntry {
    try RightEntry(decoding: table.extracting((index * RightEntry.size)..<((index + 1) * RightEntry.size)))
  }
}
