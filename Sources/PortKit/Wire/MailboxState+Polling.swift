import LinuxSystem

extension MailboxState {
  /// Before each poll, blocking ones too: what is older than this reading and still in a wire will be fetched by it.
  mutating func beginPoll() {
    receivesSincePoll = 0
    order.beginPoll(now: wires.count > 1 ? wallClockNanoseconds() : .min)
  }

  mutating func poll() throws(Errno) {
    try retryStarved()
    refuseOverdue()
    beginPoll()
    try fetchReady()
  }

  /// Stages a packet of each readable wire. The kernel shows what it has in batches, each member once before any one
  /// comes again.
  mutating func fetchReady() throws(Errno) {
    var rounds = (wires.count + watches.count + 1) / Poller.batch + 1
    repeat {
      try shared.poller.wait(into: &events, until: Deadline(after: .zero))
      for index in 0..<events.count { try process(key: events.key(index)) }
      rounds -= 1
    } while events.count == Poller.batch && rounds > 0
  }

  /// What a thread found that slept in the poll. A full batch is not all: an older packet may be behind it.
  mutating func finishPoll(_ ready: borrowing ReadyEvents) {
    // An error of one wire is seen again when that wire is next looked at.
    for index in 0..<ready.count { try? process(key: ready.key(index)) }
    if ready.count == Poller.batch { try? fetchReady() }
    try? retryStarved()
    refuseOverdue()
  }

  mutating func process(key: UInt64) throws(Errno) {
    if key == Doorbell.key { return }
    if key == Alarm.key { return refuseOverdue() }
    if KeptPorts.isKey(key) {
      readKept(key)
    } else if key & Self.watchFlag != 0 {
      if let watched = looks[key]?.watched.object { errands.append(.look(watched)) }
      guard let watch = watches.remove(key) else { return }
      shared.poller.remove(watch.descriptor)
      for request in watch.inOrder { post(.deadName(request)) }
    } else {
      if !untold.isEmpty, untold.contains(key) { tellLimit(key) }
      try stage(key)
    }
  }

  /// Takes the next packet of a wire in hand. False when there is none.
  @discardableResult
  mutating func stage(_ key: UInt64) throws(Errno) -> Bool {
    guard let slot = wires[key], departure == nil else { return false }
    guard slot.staged == nil, !slot.isSeen else {
      if slot.isStopped { try noticeHangUp(of: key, slot) }
      return false
    }
    // Where so many descriptors are in hand, nobody's mail takes up more of them before its turn.
    if keeper != nil || wires.held >= Limits.heldDescriptors { return try see(key, slot) }
    guard case .packet(let buffer, let descriptors) = try next(of: slot, key) else { return false }
    do throws(FrameError) {
      try admit(buffer, descriptors, on: slot, key)
      return true
    } catch {
      fault(error, on: key)
      return false
    }
  }

  /// Takes a packet out of the wire. Deals with its end.
  mutating func next(of slot: WireSlot, _ key: UInt64) throws(Errno) -> PacketArrival {
    let arrival = try receive(from: slot, key)
    if case .end = arrival { end(key) }
    return arrival
  }

  /// A wire that cannot be received from is at fault, or it would be tried again at each look. That memory is short is
  /// nobody's fault.
  private mutating func receive(from slot: WireSlot, _ key: UInt64) throws(Errno) -> PacketArrival {
    do {
      return try receiver.receive(from: slot.end.socket)
    } catch {
      if error == .outOfMemory || error == .noBufferSpace { throw error }
      fault(.unreadable(error.description), on: key)
      return .nothing
    }
  }

  /// Checks the whole packet before anything of it is delivered.
  mutating func admit(
    _ buffer: PacketBuffer, _ descriptors: DescriptorList?, on slot: WireSlot, _ key: UInt64
  ) throws(FrameError) {
    let packet = try checked(buffer, descriptors, on: slot)
    let stamp = receiver.stampNanoseconds
    order.insert(key, stamp: stamp, previousStamp: slot.lastStamp, now: wallClockNanoseconds)
    slot.stage(packet, stamp: stamp)
  }

  mutating func checked(
    _ buffer: PacketBuffer, _ descriptors: DescriptorList?, on slot: WireSlot
  ) throws(FrameError) -> StagedPacket {
    let decoder = try receivedPacket(buffer, descriptors)
    if let header = decoder.sole(buffer) {
      try admit(header, isOnce: slot.end.isSendOnce)
    } else {
      try checkAll(decoder, buffer, on: slot)
    }
    if let descriptors { wires.hold(descriptors.count, on: slot) }
    return StagedPacket(buffer: buffer, descriptors: descriptors, sender: receiver.sender, decoder: decoder)
  }

  /// The packet that was received last, still to be walked over.
  func receivedPacket(_ buffer: PacketBuffer, _ descriptors: DescriptorList?) throws(FrameError) -> PacketDecoder {
    if receiver.isTruncated { throw .truncated }
    if receiver.stampNanoseconds == 0 { throw .unwitnessed }
    return PacketDecoder(
      size: buffer.count, descriptorCount: descriptors?.count ?? 0, descriptorsWereLost: receiver.lostDescriptors)
  }

  private func checkAll(
    _ decoder: PacketDecoder, _ buffer: PacketBuffer, on slot: WireSlot
  ) throws(FrameError) {
    var decoder = decoder
    var (messages, copies) = (0, 0)
    // A holder may still send by a limit that was lowered since.
    let most = slot.end.isSendOnce ? 1 : highestLimit
    while let frame = try decoder.next(buffer) {
      try admit(frame.header, isOnce: slot.end.isSendOnce)
      if frame.header.kind == .adopt { copies += 1 }
      if frame.header.kind.isUserMessage { messages += 1 }
      if messages > most { throw .messagesOverLimit(most) }
    }
    if copies > 0, !slot.credit.admit(copies) { throw .copiesOverCredit(copies) }
  }

  func admit(_ header: FrameHeader, isOnce: Bool) throws(FrameError) {
    switch header.kind {
    case .message: return
    case .call where !isOnce: return
    case .adopt where !isOnce && acceptsAdoption: return
    case .keep where !isOnce: return
    case .call, .adopt, .keep, .reply, .replyDropped, .adoptReply, .adopted, .copyCredit, .limit,
      .ownerDied:
      throw .unexpected("frame kind \(header.kind)")
    }
  }
}
