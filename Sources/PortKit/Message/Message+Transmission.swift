import LinuxSystem

extension Message {
  /// What stands in the way of sending, found before anything is touched.
  borrowing func obstacle(for kind: FrameKind) -> PortError? {
    if bodyRange.count > Limits.inlineBody {
      return .messageTooLarge(bytes: bodyRange.count, limit: Limits.inlineBody)
    }
    let count = rights.count + (wantsReply ? 1 : 0)
    if count > Limits.rightsPerMessage { return .tooManyRights(count: count, limit: Limits.rightsPerMessage) }
    if kind == .call && wantsReply { return .wrongKindOfRight(index: 0) }
    return nil
  }

  /// Hands the message to the kernel, waiting for room until the deadline. On an error nothing was sent and every right
  /// is still in the message.
  mutating func transmit(
    on socket: borrowing PacketSocket, kind: FrameKind, sequence: UInt64 = 0, until deadline: Deadline
  ) throws(PortError) {
    let packet = try prepare(for: kind, sequence: sequence, until: deadline)
    while try !attempt(packet, on: socket) { try waitForRoom(on: socket, until: deadline) }
  }

  /// A message in the form in which it leaves.
  struct Outgoing {
    /// Header and right table; empty when the header lies before the body, so that one contiguous packet leaves without
    /// a copy.
    var head: [UInt8] = []
    var descriptors: [CInt] = []
    /// Ends made for this journey, open until it is over.
    var movers: [HolderEnd] = []
    /// Ports that leave with it.
    var ports: [PackedPort] = []
    /// With the rights that do not fit into the packet.
    var carrier: Carrier?
  }

  mutating func prepare(for kind: FrameKind, sequence: UInt64, until deadline: Deadline) throws(PortError) -> Outgoing {
    if let obstacle = obstacle(for: kind) { throw obstacle }
    var header = FrameHeader(kind: kind, bodySize: bodyRange.count, id: id, sequence: sequence)
    header.trace = traceID
    if rights.isEmpty && !wantsReply {
      buffer.write((bodyRange.lowerBound - FrameHeader.size)..<bodyRange.lowerBound) { header.encode(into: &$0) }
      return Outgoing()
    }
    return try prepareRights(header, until: deadline)
  }

  private mutating func prepareRights(_ plain: FrameHeader, until deadline: Deadline) throws(PortError) -> Outgoing {
    var packet = Outgoing()
    var table: [UInt8] = []
    let hasReply = wantsReply
    if let number = try promoteReply() {
      RightEntry(kind: .sendOnce, index: 0).append(to: &table)
      packet.descriptors.append(number)
    }
    for index in rights.indices {
      let (entry, number) = try travelForm(of: index, &packet, until: deadline)
      entry.append(to: &table)
      if let number { packet.descriptors.append(number) }
    }
    let count = table.count / RightEntry.size
    var header = FrameHeader(
      kind: plain.kind, bodySize: bodyRange.count, id: id, rights: count, sequence: plain.sequence)
    header.trace = traceID
    if hasReply { header.flags = FrameHeader.hasReplyRight }
    if count > Limits.rightsPerPacket { try load(&packet, &table, &header) }
    packet.head = header.encoded() + table
    return packet
  }

  /// Puts the rights into a carrier: one descriptor instead of many, and no table in the packet.
  private func load(_ packet: inout Outgoing, _ table: inout [UInt8], _ header: inout FrameHeader) throws(PortError) {
    let (bytes, descriptors) = (table, packet.descriptors)
    let carrier = try translatingErrno { () throws(Errno) in try Carrier.filled(bytes, descriptors) }
    packet.descriptors = [carrier.socket.descriptor.number]
    packet.carrier = carrier
    header.flags |= FrameHeader.hasCarrier
    header.frameSize -= UInt32(table.count)
    table = []
  }

  /// False when there is no room now. Ports in the message have left when this is true.
  ///
  /// - Parameter peerCookie: the socket's other end, where it is known.
  func attempt(
    _ packet: Outgoing, on socket: borrowing PacketSocket, to peerCookie: UInt64 = 0
  ) throws(PortError) -> Bool {
    for port in packet.ports where port.mailbox.isReached(by: socket, peerCookie) { throw .circularMove }
    let isSent = try translatingErrno { () throws(Errno) -> Bool in
      if packet.head.isEmpty {
        return try socket.send(buffer, (bodyRange.lowerBound - FrameHeader.size)..<bodyRange.upperBound)
      }
      return try socket.send(head: packet.head, tail: buffer, bodyRange, descriptors: packet.descriptors)
    }
    if isSent { for port in packet.ports { port.depart() } }
    return isSent
  }

  func packetSize(_ packet: borrowing Outgoing) -> Int {
    bodyRange.count + (packet.head.isEmpty ? FrameHeader.size : packet.head.count)
  }

  /// The frame of a message that needs no descriptor: it can leave in the packet of another one.
  func shareableFrame(_ packet: borrowing Outgoing) -> SendQueue.FrameBytes? {
    guard packet.head.isEmpty else { return nil }
    return SendQueue.FrameBytes(
      buffer: buffer, range: (bodyRange.lowerBound - FrameHeader.size)..<bodyRange.upperBound)
  }

  /// The entry and the descriptor under which a right leaves. A send right on which a reply may still come is re-made
  /// by adoption, so that no late reply reaches its next holder; the right itself stays here until the message has
  /// left, and ends with it.
  private mutating func travelForm(
    of index: Int, _ packet: inout Outgoing, until deadline: Deadline
  ) throws(PortError) -> (RightEntry, CInt?) {
    let position = packet.descriptors.count
    switch rights[index] {
    case .send(let end):
      var mover = end
      if end.mayStillBeAnswered {
        mover = try end.copy(until: deadline)
        packet.movers.append(mover)
      }
      return (RightEntry(kind: .send, index: position, state: mover.travelState), mover.socket.descriptor.number)
    case .sendOnce(let box):
      guard let number = try box.promote() else { throw .noSuchRight(index: index) }
      return (RightEntry(kind: .sendOnce, index: position), number)
    case .receive(let box):
      guard let port = try box.pack() else { throw .noSuchRight(index: index) }
      packet.ports.append(port)
      return (RightEntry(kind: .receive, index: position), port.carrier.socket.descriptor.number)
    case .null: return (RightEntry(kind: .null, index: 0), nil)
    case .dead: return (RightEntry(kind: .dead, index: 0), nil)
    case .taken: throw .noSuchRight(index: index)
    case .lost: throw .rightLost(index: index)
    }
  }
}

extension FrameHeader {
  func encoded() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.size)
    var span = bytes.mutableSpan
    encode(into: &span)
    return bytes
  }
}

/// POLLOUT says that at most a quarter of the send buffer is in use; any packet fits then.
func waitForRoom(on socket: borrowing PacketSocket, until deadline: Deadline) throws(PortError) {
  let number = socket.descriptor.number
  let ready = try translatingErrno { () throws(Errno) -> Bool in
    try waitForReadiness(of: number, .writable, until: deadline)
  }
  if !ready { throw .timedOut }
}
