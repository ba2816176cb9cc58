import LinuxSystem

extension Message {
  /// The one message of a packet, without rights.
  init(
    _ header: FrameHeader, _ buffer: PacketBuffer, sender: Credentials? = nil, reply: consuming SendOnceRight? = nil
  ) {
    self.init(
      header: header, buffer: buffer, bodyRange: FrameHeader.size..<buffer.count, sender: sender, rights: [],
      reply: reply)
  }

  /// A message out of a frame that the decoder let through. Takes the frame's descriptors.
  init(
    _ frame: Frame, _ buffer: PacketBuffer, _ descriptors: DescriptorList?, sender: Credentials?,
    reply: consuming SendOnceRight?
  ) throws(FrameError) {
    if frame.header.rights == 0 {
      self.init(
        header: frame.header, buffer: buffer, bodyRange: frame.body, sender: sender, rights: [], reply: reply)
      return
    }
    var rights: [MessageRight]
    if frame.isCarried {
      rights = try Self.carriedRights(frame.header, descriptors?.take(frame.firstDescriptor), sender)
    } else {
      rights = try Self.rights(
        frame.header, buffer.bytes(frame.table), descriptors, first: frame.firstDescriptor, sender)
    }
    var header: SendOnceRight? = reply
    if frame.header.flags & FrameHeader.hasReplyRight != 0, case .sendOnce(let box) = rights.removeFirst() {
      header = box.take()
    }
    self.init(
      header: frame.header, buffer: buffer, bodyRange: frame.body, sender: sender, rights: rights, reply: header)
  }

  private static func rights(
    _ header: FrameHeader, _ table: Span<UInt8>, _ descriptors: DescriptorList?, first: Int, _ sender: Credentials?
  ) throws(FrameError) -> [MessageRight] {
    var rights: [MessageRight] = []
    var next = first
    for index in 0..<Int(header.rights) {
      let entry = try PacketDecoder.entry(index, of: table)
      guard entry.kind.hasDescriptor else {
        rights.append(entry.kind == .null ? .null : .dead)
        continue
      }
      rights.append(try MessageRight(entry, descriptors?.take(next), sender))
      next += 1
    }
    return rights
  }

  /// Rights that did not fit into the packet. Where even the table did not come through, all are lost.
  private static func carriedRights(
    _ header: FrameHeader, _ carrier: consuming Descriptor?, _ sender: Credentials?
  ) throws(FrameError) -> [MessageRight] {
    let lost = [MessageRight](repeating: .lost, count: Int(header.rights))
    guard let carrier = consume carrier else { return lost }
    let size = Int(header.rights) * RightEntry.size
    let content = try CarrierContent(
      reading: carrier, mostBytes: size, mostDescriptors: Int(header.rights))
    guard content.bytes.count == size else {
      if !content.isComplete { return lost }
      throw .badSize(UInt32(size), available: content.bytes.count)
    }
    let table = content.bytes
    let count = try PacketDecoder.check(table: table.span, of: header, first: 0)
    guard content.descriptors.count == count || !content.isComplete else {
      throw .descriptorCount(announced: count, arrived: content.descriptors.count)
    }
    return try rights(header, table.span, content.descriptors, first: 0, sender)
  }
}

extension MessageRight {
  init(_ entry: RightEntry, _ descriptor: consuming Descriptor?, _ sender: Credentials?) throws(FrameError) {
    guard let descriptor = consume descriptor else {
      self = .lost
      return
    }
    if entry.kind == .receive {
      let mailbox = try Mailbox.unpacked(descriptor, mover: sender)
      self = mailbox.map { .receive(ReceiveBox(ReceiveRight(unlisted: $0))) } ?? .lost
      return
    }
    let socket = PacketSocket(descriptor)
    // Somebody else's file must not be taken for a wire: sending on it would fail in surprising ways.
    guard (try? socket.cookie()) != nil else { throw .unexpected("a descriptor that is not a wire") }
    if entry.kind == .send {
      self = .send(HolderEnd(socket, entry.state))
    } else {
      self = .sendOnce(SendOnceBox(SendOnceRight(OnceEnd(socket))))
    }
  }
}
