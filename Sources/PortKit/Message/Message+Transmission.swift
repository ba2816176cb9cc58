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

  /// The form in which a message leaves.
  enum Outgoing: Sendable {
    /// As it lies in its buffer, the header before the body: one contiguous packet, without a copy.
    case plain
    indirect case withRights(Cargo)
  }

  /// What leaves before the body of a message with rights.
  struct Cargo: Sendable {
    /// Header and right table.
    var head: [UInt8] = []
    var descriptors: [CInt] = []
    /// Ends made for this journey, open until it is over.
    var movers: [HolderEnd] = []
    /// Ports that leave with it.
    var ports: [PackedPort] = []
    /// With the rights that do not fit into the packet.
    var carrier: Carrier?
  }

  var hasRights: Bool { !rights.isEmpty || wantsReply }

  mutating func prepare(for kind: FrameKind, sequence: UInt64, until deadline: Deadline) throws(PortError) -> Outgoing {
    if let obstacle = obstacle(for: kind) { throw obstacle }
    var header = FrameHeader(kind: kind, bodySize: bodyRange.count, id: id, sequence: sequence)
    header.trace = traceID
    if !hasRights {
      buffer.write((bodyRange.lowerBound - FrameHeader.size)..<bodyRange.lowerBound) { header.encode(into: &$0) }
      return .plain
    }
    return try prepareRights(header, until: deadline)
  }

  private mutating func prepareRights(_ plain: FrameHeader, until deadline: Deadline) throws(PortError) -> Outgoing {
    var cargo = Cargo()
    var table: [UInt8] = []
    let hasReply = wantsReply
    if let number = try promoteReply() {
      RightEntry(kind: .sendOnce, index: 0).append(to: &table)
      cargo.descriptors.append(number)
    }
    for index in rights.indices {
      let (entry, number) = try travelForm(of: index, &cargo, until: deadline)
      entry.append(to: &table)
      if let number { cargo.descriptors.append(number) }
    }
    let count = table.count / RightEntry.size
    var header = FrameHeader(
      kind: plain.kind, bodySize: bodyRange.count, id: id, rights: count, sequence: plain.sequence)
    header.trace = traceID
    if hasReply { header.flags = FrameHeader.hasReplyRight }
    if count > Limits.rightsPerPacket { try load(&cargo, &table, &header) }
    cargo.head = header.encoded() + table
    return .withRights(cargo)
  }

  /// Puts the rights into a carrier: one descriptor instead of many, and no table in the packet.
  private func load(_ cargo: inout Cargo, _ table: inout [UInt8], _ header: inout FrameHeader) throws(PortError) {
    let (bytes, descriptors) = (table, cargo.descriptors)
    let carrier = try translatingErrno { () throws(Errno) in try Carrier.filled(bytes, descriptors) }
    cargo.descriptors = [carrier.socket.descriptor.number]
    cargo.carrier = carrier
    header.flags |= FrameHeader.hasCarrier
    header.frameSize -= UInt32(table.count)
    table = []
  }

  /// False when there is no room now. Ports in the message have left when this is true.
  ///
  /// - Parameter peerCookie: the socket's other end, where it is known.
  func attempt(
    _ packet: borrowing Outgoing, on socket: borrowing PacketSocket, to peerCookie: UInt64 = 0
  ) throws(PortError) -> Bool {
    switch packet {
    case .plain: return try translatingErrno { () throws(Errno) in try socket.send(buffer, frameRange) }
    case .withRights(let cargo): return try attempt(cargo, on: socket, to: peerCookie)
    }
  }

  private func attempt(
    _ cargo: Cargo, on socket: borrowing PacketSocket, to peerCookie: UInt64
  ) throws(PortError) -> Bool {
    for port in cargo.ports where port.mailbox.isReached(by: socket, peerCookie) { throw .circularMove }
    let isSent = try translatingErrno { () throws(Errno) -> Bool in
      try socket.send(head: cargo.head, tail: buffer, bodyRange, descriptors: cargo.descriptors)
    }
    if isSent { for port in cargo.ports { port.depart() } }
    return isSent
  }

  /// The whole frame of a message without rights.
  private var frameRange: Range<Int> { (bodyRange.lowerBound - FrameHeader.size)..<bodyRange.upperBound }

  func packetSize(_ packet: borrowing Outgoing) -> Int {
    switch packet {
    case .plain: frameRange.count
    case .withRights(let cargo): cargo.head.count + bodyRange.count
    }
  }

  /// The frame of a message that needs no descriptor: it can leave in the packet of another one.
  func shareableFrame(_ packet: borrowing Outgoing) -> SendQueue.FrameBytes? {
    switch packet {
    case .plain: SendQueue.FrameBytes(buffer: buffer, range: frameRange)
    case .withRights: nil
    }
  }

  /// The first of the rights that are copied for the journey of which this is true.
  func rightToCopy(where isTrue: (HolderEnd) -> Bool) -> HolderEnd? {
    for case .send(let end) in rights where end.mayStillBeAnswered && isTrue(end) { return end }
    return nil
  }

  /// The entry and the descriptor under which a right leaves. A send right on which a reply may still come is re-made
  /// by adoption, so that no late reply reaches its next holder; the right itself stays here until the message has
  /// left, and ends with it.
  private mutating func travelForm(
    of index: Int, _ cargo: inout Cargo, until deadline: Deadline
  ) throws(PortError) -> (RightEntry, CInt?) {
    let position = cargo.descriptors.count
    switch rights[index] {
    case .send(let end):
      var mover = end
      if end.mayStillBeAnswered {
        mover = try end.copy(until: deadline)
        cargo.movers.append(mover)
      }
      return (RightEntry(kind: .send, index: position, state: mover.travelState), mover.socket.descriptor.number)
    case .sendOnce(let box):
      guard let number = try box.promote() else { throw .noSuchRight(index: index) }
      return (RightEntry(kind: .sendOnce, index: position), number)
    case .receive(let box):
      guard let port = try box.pack() else { throw .noSuchRight(index: index) }
      cargo.ports.append(port)
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
