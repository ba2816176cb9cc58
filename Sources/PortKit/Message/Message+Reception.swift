import LinuxSystem

extension Message {
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
    var rights: [MessageRight] = []
    for index in 0..<Int(frame.header.rights) {
      let entry = try PacketDecoder.entry(index, of: buffer.bytes(frame.table))
      rights.append(try MessageRight(entry, descriptors?.take(frame.firstDescriptor + index)))
    }
    var header: SendOnceRight? = reply
    if frame.header.flags & FrameHeader.hasReplyRight != 0, case .sendOnce(let box) = rights.removeFirst() {
      header = box.take()
    }
    self.init(
      header: frame.header, buffer: buffer, bodyRange: frame.body, sender: sender, rights: rights, reply: header)
  }
}

extension MessageRight {
  init(_ entry: RightEntry, _ descriptor: consuming Descriptor?) throws(FrameError) {
    guard let descriptor = consume descriptor else {
      self = .lost
      return
    }
    let socket = PacketSocket(descriptor)
    // Somebody else's file must not be taken for a wire: sending on it would fail in surprising ways.
    guard (try? socket.cookie()) != nil else { throw .unexpected("a descriptor that is not a wire") }
    switch entry.kind {
    case .send: self = .send(HolderEnd(socket, nextCall: entry.nextCall))
    case .sendOnce: self = .sendOnce(SendOnceBox(SendOnceRight(OnceEnd(socket))))
    }
  }
}
