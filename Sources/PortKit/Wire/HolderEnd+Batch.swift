import LinuxSystem

extension HolderEnd {
  /// Sends part after part, each with as many frames in a packet as there is room for. Leaves in the batch what was not
  /// sent.
  func transmit(_ batch: inout MessageBatch, until deadline: Deadline) throws(PortError) {
    try checkProcess()
    batch.close()
    var done = 0
    defer { batch.parts.removeFirst(done) }
    while done < batch.parts.count {
      switch batch.parts[done] {
      case .frames(var run):
        defer { batch.parts[done] = .frames(run) }
        while run.remaining > 0 { try transmit(&run, until: deadline) }
      case .single(let box): try transmit(box, until: deadline)
      }
      done += 1
    }
  }

  private func transmit(_ run: inout MessageBatch.FrameRun, until deadline: Deadline) throws(PortError) {
    if queue.withLock({ $0.mustLook(before: .message) }) { readNews() }
    let number = try queue.withLock { (queue) throws(PortError) -> UInt64? in
      queue.isSomebodyWaiting ? nil : try attempt(&run, &queue)
    }
    if number != nil { return }
    if deadline.hasPassed { throw .timedOut }
    _ = try waitInLine(frame: nil, until: deadline) { (queue) throws(PortError) in try attempt(&run, &queue) }
  }

  private func attempt(_ run: inout MessageBatch.FrameRun, _ queue: inout SendQueue) throws(PortError) -> UInt64? {
    // First for all of them, so that the kernel is asked when not all fit by the own count.
    let fitsWhole = try hasRoom(for: run.remaining, in: &queue)
    if !fitsWhole && !queue.hasRoom(for: 1) { return nil }
    let count = min(run.remaining, queue.limit - queue.ledger.unread)
    let bytes = run.next(count)
    let number = try attempt(&queue, bytes: bytes.count, messages: count) { () throws(PortError) in
      try translatingErrno { () throws(Errno) in try socket.send(run.buffer, bytes) }
    }
    if number != nil { run.sent += count }
    return number
  }

  private func transmit(_ box: MessageBox, until deadline: Deadline) throws(PortError) {
    guard var message = box.take() else { return }
    do {
      try transmit(&message, kind: .message, until: deadline)
    } catch {
      box.put(message)
      throw error
    }
  }
}
