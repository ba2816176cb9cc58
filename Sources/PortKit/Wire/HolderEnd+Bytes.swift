import LinuxSystem

/// Messages whose bytes stay their sender's. They are copied only where they have to wait for room.
extension HolderEnd {
  func call(_ id: Int32, _ body: Span<UInt8>, until deadline: Deadline) throws(PortError) -> Message {
    try checkProcess()
    guard let number = beginCall() else { throw .tooManyCalls(limit: Limits.callsPerWire) }
    let packet: UInt64
    do throws(PortError) {
      packet = try transmit(id, body, kind: .call, sequence: number, until: deadline)
    } catch {
      calls.withLock { _ = $0.finish(number) }
      throw error
    }
    return try awaitEnd(of: number, in: packet, until: deadline).get()
  }

  /// Returns the number of the packet.
  @discardableResult
  func transmit(
    _ id: Int32, _ body: Span<UInt8>, kind: FrameKind, sequence: UInt64 = 0, until deadline: @autoclosure () -> Deadline
  ) throws(PortError) -> UInt64 {
    try checkProcess()
    if body.count > Limits.inlineBody {
      throw .messageTooLarge(bytes: body.count, limit: Limits.inlineBody)
    }
    if queue.withLock({ $0.mustLook(before: kind) }) { readNews() }
    let header = FrameHeader(kind: kind, bodySize: body.count, id: id, sequence: sequence)
    if let number = try attemptNow(header, body) { return number }
    var message = Message(id: id, body: body)
    return try transmit(&message, kind: kind, sequence: sequence, until: deadline())
  }

  private func attemptNow(_ header: FrameHeader, _ body: Span<UInt8>) throws(PortError) -> UInt64? {
    try queue.withLock { (queue) throws(PortError) -> UInt64? in
      if queue.isSomebodyWaiting { return nil }
      return try attempt(&queue, bytes: Int(header.frameSize), messages: 1) { () throws(PortError) -> Bool in
        try translatingErrno { () throws(Errno) in try socket.send(head: header.words, tail: body) }
      }
    }
  }
}
