import LinuxSystem
import Synchronization

/// Sending: never more unread messages on the wire than the port allows, and no thread overtakes another that waits.
extension HolderEnd {
  /// Hands the message to the kernel, waiting for room until the deadline. Returns the number of its packet. On an
  /// error nothing was sent and every right is still in the message.
  @discardableResult
  func transmit(
    _ message: inout Message, kind: FrameKind, sequence: UInt64 = 0, until deadline: Deadline
  ) throws(PortError) -> UInt64 {
    try checkProcess()
    let packet = try message.prepare(for: kind, sequence: sequence, until: deadline)
    if queue.withLock({ $0.mustLook(before: kind) }) { readNews() }
    if let number = try attemptNow(message, packet) { return number }
    if deadline.hasPassed { throw .timedOut }
    return try waitInLine(frame: message.shareableFrame(packet), until: deadline) { (queue) throws(PortError) in
      try attempt(message, packet, &queue)
    }
  }

  /// The number of the packet; nil when there is no room now, or others wait for it.
  func attemptNow(_ message: borrowing Message, _ packet: borrowing Message.Outgoing) throws(PortError) -> UInt64? {
    try queue.withLock { (queue) throws(PortError) -> UInt64? in
      if queue.isSomebodyWaiting { return nil }
      return try attempt(message, packet, &queue)
    }
  }

  /// No other sender comes before this one.
  func isTurn(of ticket: UInt64) -> Bool { queue.withLock { $0.role(of: ticket) == .lead } }

  /// The same for a request that stands in line: only when its turn has come.
  func attemptInTurn(
    _ ticket: UInt64, _ message: borrowing Message, _ packet: borrowing Message.Outgoing
  ) throws(PortError) -> UInt64? {
    let number = try queue.withLock { (queue) throws(PortError) -> UInt64? in
      guard case .lead = queue.role(of: ticket), let number = try attempt(message, packet, &queue) else { return nil }
      queue.leaveTogether(companions: 0, packet: number)
      return number
    }
    if number != nil { callNext() }
    return number
  }

  /// The packet of this number was answered.
  func settle(through packet: UInt64) { queue.withLock { $0.ledger.settle(through: packet) } }

  /// The port announced its limit.
  func setLimit(_ limit: Int) {
    queue.withLock { $0.limit = limit }
    room.withLock { $0?.poke() }
    async.withLock { $0 }?.room.withLock { $0?.watch.poke() }
    possible.withLock { $0 }?.poke()
  }

  /// Whether a message would be taken now, as far as the port's limit goes.
  var mayQueueOne: Bool {
    (try? queue.withLock { (queue) throws(PortError) in try hasRoom(for: 1, in: &queue) }) ?? false
  }

  func watchForRoom(from mailbox: Mailbox, owner: UInt64) throws(PortError) -> DeadNameRequest {
    let request = try mailbox.expectNotice(owner: owner)
    let watch = try possible.withLock { (possible) throws(PortError) -> SendPossibleWatch in
      if let possible { return possible }
      let new = try SendPossibleWatch(self)
      possible = new
      return new
    }
    watch.add(request, mailbox)
    return request
  }

  // MARK: Under the lock of the queue

  /// The number of the packet; nil when there is no room now.
  private func attempt(
    _ message: borrowing Message, _ packet: borrowing Message.Outgoing, _ queue: inout SendQueue
  ) throws(PortError) -> UInt64? {
    let bytes = message.packetSize(packet)
    return try attempt(&queue, bytes: bytes, messages: 1) { () throws(PortError) -> Bool in
      try message.attempt(packet, on: socket, to: peerCookie)
    }
  }

  func attempt(
    _ queue: inout SendQueue, bytes: Int, messages: Int, _ send: () throws(PortError) -> Bool
  ) throws(PortError) -> UInt64? {
    guard try hasRoom(for: messages, in: &queue) else { return nil }
    if try !send() {
      guard try growBuffer(for: bytes, limit: queue.limit), try send() else { return nil }
    }
    return queue.ledger.append(QueueLedger.Packet(charge: queue.charge(of: bytes), messages: messages))
  }

  /// Asks the kernel only when the own count says that the queue is full.
  func hasRoom(for messages: Int, in queue: inout SendQueue) throws(PortError) -> Bool {
    if queue.hasRoom(for: messages) { return true }
    let unread = try translatingErrno { () throws(Errno) in try socket.unreadByPeer() }
    queue.ledger.settle(unreadBytes: unread)
    // With a limit of 0 nothing ever reaches the kernel, which would say so.
    if queue.limit == 0, isDeadName { throw .deadName }
    return queue.hasRoom(for: messages)
  }

  /// So that a full queue fills a quarter of the buffer: then the kernel tells of each packet that is taken. False when
  /// the system allows no more than there is.
  private func growBuffer(for bytes: Int, limit: Int) throws(PortError) -> Bool {
    let wanted = 4 * limit * max(PacketCharges.charge(of: bytes), bytes) / 2
    return try translatingErrno { () throws(Errno) -> Bool in
      let before = try socket.sendBuffer()
      if wanted <= before { return false }
      try socket.setSendBuffer(bytes: wanted)
      return try socket.sendBuffer() > before
    }
  }

  // MARK: Waiting

  /// Sends, under the lock, what `attempt` knows of; nil from it means that there is no room now.
  typealias Attempt = (inout SendQueue) throws(PortError) -> UInt64?

  func waitInLine(
    frame: SendQueue.FrameBytes?, until deadline: Deadline, _ attempt: Attempt
  ) throws(PortError) -> UInt64 {
    let ticket = queue.withLock { $0.join(frame) }
    do throws(PortError) {
      while true {
        switch queue.withLock({ $0.role(of: ticket) }) {
        case .sent(let number): return number
        case .lead: return try lead(frame, until: deadline, attempt)
        case .follow:
          if !queue.wait(until: deadline, while: { $0.mustFollow(ticket) }) { throw PortError.timedOut }
        }
      }
    } catch {
      if let sent = leaveLine(ticket) { return sent }
      throw error
    }
  }

  /// Returns the number of the packet in which it left meanwhile.
  @discardableResult
  func leaveLine(_ ticket: UInt64) -> UInt64? {
    let sent = queue.withLock { $0.leave(ticket) }
    callNext()
    return sent
  }

  /// The first of the line may be another one: a thread, or a request that the reactor sends.
  private func callNext() {
    queue.notifyAll()
    if queue.withLock({ $0.isReactorsTurn }) { async.withLock { $0 }?.room.withLock { $0?.watch.poke() } }
  }

  /// Watches the kernel for all who wait.
  private func lead(
    _ frame: SendQueue.FrameBytes?, until deadline: Deadline, _ attempt: Attempt
  ) throws(PortError) -> UInt64 {
    let watch = try watch(room)
    while true {
      readNews()
      let number = try queue.withLock { (queue) throws(PortError) in try attemptTogether(frame, &queue, attempt) }
      if let number {
        callNext()
        return number
      }
      let hasNews = try translatingErrno { () throws(Errno) in try watch.wait(until: deadline) }
      if !hasNews { throw .timedOut }
    }
  }

  /// Frames that were blocked anyway share a packet.
  private func attemptTogether(
    _ own: SendQueue.FrameBytes?, _ queue: inout SendQueue, _ attempt: Attempt
  ) throws(PortError) -> UInt64? {
    guard try hasRoom(for: 1, in: &queue) else { return nil }
    let free = queue.limit - queue.ledger.unread
    let others = own.map { queue.companions(bytes: Limits.packet - $0.range.count, messages: free - 1) } ?? []
    let number: UInt64?
    if let own, !others.isEmpty {
      let shared = PacketBuffer.joining([own] + others)
      number = try self.attempt(&queue, bytes: shared.count, messages: 1 + others.count) { () throws(PortError) in
        try translatingErrno { () throws(Errno) in try socket.send(shared, 0..<shared.count) }
      }
    } else {
      number = try attempt(&queue)
    }
    if let number { queue.leaveTogether(companions: others.count, packet: number) }
    return number
  }

  func watch(_ place: borrowing Mutex<RoomWatch?>) throws(PortError) -> RoomWatch {
    try translatingErrno { () throws(Errno) -> RoomWatch in
      try place.withLock { (room) throws(Errno) -> RoomWatch in
        if let room { return room }
        let watch = try RoomWatch(socket.descriptor.number)
        room = watch
        return watch
      }
    }
  }

  /// Reads what the port sent back while no call waits for it. A thread that waits for a reply does so anyway.
  func readNews() {
    guard socket.hasUnread(), calls.withLock({ $0.startReading() }) else { return }
    readReplies(for: nil, until: Deadline(after: .zero))
  }
}

extension PacketBuffer {
  /// One packet of several frames.
  static func joining(_ frames: [SendQueue.FrameBytes]) -> PacketBuffer {
    let packet = take(capacity: frames.reduce(0) { $0 + $1.range.count })
    for frame in frames {
      packet.copy(frame.buffer.bytes(frame.range), to: packet.count)
      packet.count += frame.range.count
    }
    return packet
  }
}
