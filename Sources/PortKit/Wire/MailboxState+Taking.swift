import LinuxSystem

extension MailboxState {
  // MARK: Taking

  /// The next message that may be delivered without sleeping. With `lookAround` the kernel is asked, else only what is
  /// in hand counts. Nil with mail still in hand when much of what came was for the library.
  mutating func takeReady(lookAround: Bool) throws(Errno) -> Message? {
    if departure != nil { return nil }
    var mayPoll = lookAround
    var left = Limits.framesPerLook
    while left > 0 {
      if let notice = notices.popFirst() { return arrived(message(of: notice)) }
      if let key = refill, !order.isEmpty {
        refill = nil
        try stage(key)
      }
      switch order.next(hasOneWire: wires.count <= 1) {
      case .deliver(let key):
        if let message = try deliver(key) { return arrived(message) }
        left -= 1
      case .poll:
        try poll()
      case .empty:
        if noSendersIsDue { return arrived(takeNoSenders()) }
        guard mayPoll else { return nil }
        mayPoll = try lookAtKernel()
      }
    }
    return nil
  }

  /// False when nothing came.
  mutating func lookAtKernel() throws(Errno) -> Bool {
    if receivesSincePoll < Limits.directReceivesInARow, let only = wires.only {
      // One wire: asking it costs one system call, asking the poller first costs two.
      receivesSincePoll += 1
      if try stage(only) { return true }
    }
    try poll()
    return !order.isEmpty || !notices.isEmpty || noSendersIsDue
  }

  private mutating func message(of notice: PortNotification) -> Message {
    var message = Message(notice)
    if notice == .portDestroyed, let port = kept.takeOrphan() { message.rights = [.receive(port)] }
    return message
  }

  /// A message is numbered when it leaves the port.
  private mutating func arrived(_ message: consuming Message) -> Message {
    message.note(arrivalAt: port, sequenceNumber: nextSequence)
    nextSequence += 1
    // Who waits elsewhere for the last sender is told with its last message, not when somebody looks here again.
    if noSenders?.isForOtherPort ?? false { try? poll() }
    return message
  }

  // MARK: Delivering

  /// One frame of the wire's packet. Nil when it was for the library, or the wire failed.
  mutating func deliver(_ key: UInt64) throws(Errno) -> Message? {
    guard let slot = wires[key] else { return nil }
    if slot.isSeen { try takeSeen(key, slot) }
    do throws(FrameError) {
      if let message = try takePlain(slot, key) { return message }
      guard var staged = slot.staged else { return nil }
      if try !skipDelivered(&staged, key, slot) { return nil }
      guard let frame = try staged.decoder.next(staged.buffer) else { return nil }
      if frame.header.kind == .adopt, stopIfOver(key, slot, frame) { return nil }
      let isLast = staged.decoder.isAtEnd
      try note(&staged, isLast: isLast, key, slot)
      wires.setStaged(isLast ? nil : staged, on: key)
      if isLast { useUp(slot, key) } else { order.putBackLast() }
      switch frame.header.kind {
      case .adopt:
        defer { withdrawHanded() }
        try adopt(staged.descriptors?.take(frame.firstDescriptor), under: key)
        giveCredit(to: slot.end, key)
      case .keep: try keep(staged.descriptors?.take(frame.firstDescriptor), for: slot)
      default: return try message(frame, staged, from: slot.end, key)
      }
      return nil
    } catch {
      fault(error, on: key)
      return nil
    }
  }

  /// A message without rights on a port that nobody keeps needs none of the rest.
  private mutating func takePlain(_ slot: WireSlot, _ key: UInt64) throws(FrameError) -> Message? {
    guard keeper == nil, skips.isEmpty, let plain = slot.takePlain() else { return nil }
    if plain.isLast { useUp(slot, key) } else { order.putBackLast() }
    let header = plain.header
    let message = Message(
      header: header, buffer: plain.buffer, bodyRange: plain.body, sender: plain.sender, rights: [],
      reply: try Self.reply(to: header, on: slot.end))
    if slot.end.isSendOnce { close(key) }
    return message
  }

  /// The wire's packet is used up: its next one comes in line before anything else is delivered.
  @inline(__always)
  private mutating func useUp(_ slot: WireSlot, _ key: UInt64) {
    refill = key
    if slot.held > 0 { wires.letGo(slot) }
  }

  /// The reply right of a call; nil for a message.
  private static func reply(to header: FrameHeader, on end: MailboxEnd) throws(FrameError) -> SendOnceRight? {
    guard header.kind == .call else { return nil }
    guard end.owe(header.sequence) else { throw .unexpected("a call over the limit") }
    return SendOnceRight(replyOn: end, sequence: header.sequence)
  }

  /// Nothing is in hand that would have to go first.
  var isEmptyHanded: Bool {
    order.isEmpty && notices.isEmpty && keeper == nil && skips.isEmpty && departure == nil && starved.isEmpty
      && untold.isEmpty
  }

  /// The next message of the only wire, if it is alone in its packet and has no rights, as nearly every one is.
  /// Anything else comes in hand, or is dealt with. An error of the wire is seen again when it is next looked at.
  mutating func takeAtOnce(_ key: UInt64) -> Message? {
    guard let slot = wires[key], !slot.end.isSendOnce, slot.staged == nil, !slot.isSeen else {
      try? process(key: key)
      return nil
    }
    guard case .packet(let buffer, let descriptors) = try? next(of: slot, key) else { return nil }
    do throws(FrameError) {
      let packet = try receivedPacket(buffer, descriptors)
      guard let header = packet.sole(buffer) else {
        try admit(buffer, descriptors, on: slot, key)
        return nil
      }
      try admit(header, isOnce: false)
      slot.lastStamp = receiver.stampNanoseconds
      refill = key
      return arrived(
        Message(header, buffer, sender: receiver.sender, reply: try Self.reply(to: header, on: slot.end)))
    } catch {
      fault(error, on: key)
      return nil
    }
  }

  private mutating func note(
    _ staged: inout StagedPacket, isLast: Bool, _ key: UInt64, _ slot: WireSlot
  ) throws(FrameError) {
    do {
      try noteDelivery(&staged, isLast: isLast, key, slot)
    } catch {
      throw .unreadable(error.description)
    }
  }

  mutating func message(
    _ frame: Frame, _ staged: StagedPacket, from end: MailboxEnd, _ key: UInt64
  ) throws(FrameError) -> Message {
    let message = try Message(
      frame, staged.buffer, staged.descriptors, sender: staged.sender,
      reply: try Self.reply(to: frame.header, on: end))
    if end.isSendOnce { close(key) }
    return message
  }
}
