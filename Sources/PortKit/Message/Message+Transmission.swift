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
    if let obstacle = obstacle(for: kind) { throw obstacle }
    if rights.isEmpty && !wantsReply {
      try transmitPlain(on: socket, kind: kind, sequence: sequence, until: deadline)
    } else {
      try transmitRights(on: socket, kind: kind, sequence: sequence, until: deadline)
    }
  }

  /// The header goes into the room before the body, so that one contiguous packet leaves without a copy.
  private func transmitPlain(
    on socket: borrowing PacketSocket, kind: FrameKind, sequence: UInt64, until deadline: Deadline
  ) throws(PortError) {
    var header = FrameHeader(kind: kind, bodySize: bodyRange.count, id: id, sequence: sequence)
    header.trace = traceID
    let start = bodyRange.lowerBound - FrameHeader.size
    buffer.write(start..<bodyRange.lowerBound) { header.encode(into: &$0) }
    while true {
      let sent = try translatingErrno { () throws(Errno) -> Bool in
        try socket.send(buffer, start..<bodyRange.upperBound)
      }
      if sent { return }
      try waitForRoom(on: socket, until: deadline)
    }
  }

  private mutating func transmitRights(
    on socket: borrowing PacketSocket, kind: FrameKind, sequence: UInt64, until deadline: Deadline
  ) throws(PortError) {
    var table: [UInt8] = []
    var descriptors: [CInt] = []
    let hasReply = wantsReply
    if let number = try promoteReply() {
      RightEntry(kind: .sendOnce, index: 0).append(to: &table)
      descriptors.append(number)
    }
    for index in rights.indices {
      let (entry, number) = try travelForm(of: index, at: descriptors.count)
      entry.append(to: &table)
      descriptors.append(number)
    }
    var header = FrameHeader(
      kind: kind, bodySize: bodyRange.count, id: id, rights: descriptors.count, sequence: sequence)
    header.trace = traceID
    if hasReply { header.flags = FrameHeader.hasReplyRight }
    let head = header.encoded() + table
    while true {
      let sent = try translatingErrno { () throws(Errno) -> Bool in
        try socket.send(head: head, tail: buffer, bodyRange, descriptors: descriptors)
      }
      if sent { return }
      try waitForRoom(on: socket, until: deadline)
    }
  }

  /// The entry and the descriptor under which a right leaves. A send right on which a reply may still come is re-made
  /// by adoption, so that no late reply reaches its next holder.
  private mutating func travelForm(of index: Int, at position: Int) throws(PortError) -> (RightEntry, CInt) {
    switch rights[index] {
    case .send(let end):
      let mover = end.mayStillBeAnswered ? try end.copy() : end
      rights[index] = .send(mover)
      mover.cancelDeadNameWatches()
      return (RightEntry(kind: .send, index: position, nextCall: mover.nextCallNumber), mover.socket.descriptor.number)
    case .sendOnce(let box):
      guard let number = try box.promote() else { throw .noSuchRight(index: index) }
      return (RightEntry(kind: .sendOnce, index: position), number)
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
