import LinuxSystem

/// Wires that bring copies which their account, or this process, has no room for.
extension MailboxState {
  /// Stops the wire whose packet in hand goes on with a copy that cannot be adopted now: the copy stays in hand,
  /// nothing more is read, and only the death of the holder is still heard of.
  mutating func stopIfOver(_ key: UInt64, _ slot: WireSlot, _ frame: Frame) -> Bool {
    guard let list = slot.staged?.descriptors, let number = list.number(frame.firstDescriptor) else { return false }
    let isOver = !charges.hasRoom(under: key)
    guard isOver || isStarved(by: number) else { return false }
    // A copy has a packet of its own, unless somebody wants this process to hold much more than that.
    if list.count > 1 { return false }
    guard stop(key, slot) else { return false }
    withdrawHanded()
    if isOver { charges.stop(key) } else { starved.append(key) }
    return true
  }

  /// The same for a copy that was only seen: it stays in the wire.
  mutating func stopSeenIfOver(_ key: UInt64, _ slot: WireSlot) -> Bool {
    if charges.hasRoom(under: key) || !stop(key, slot) { return false }
    wires.setSeen(true, on: key)
    charges.stop(key)
    return true
  }

  /// Stops a wire until there are descriptors for what it brings next. False for one that has to be read.
  mutating func stopStarved(_ key: UInt64, _ slot: WireSlot) -> Bool {
    guard stop(key, slot) else { return false }
    wires.setSeen(true, on: key)
    starved.append(key)
    return true
  }

  private mutating func stop(_ key: UInt64, _ slot: WireSlot) -> Bool {
    // What a dead holder left is finite, and its wire must come to its end: it is read, and the copy refused. So is
    // what a living one brings after it was stopped for long.
    if slot.refuses || hasHungUp(slot) { return false }
    let descriptor = slot.end.socket.descriptor.number
    guard (try? shared.poller.modify(descriptor, [.peerClosed, .oneShot], key: key)) != nil else { return false }
    wires.setStopped(true, on: key)
    wires.letGo(slot)
    patience.begin(key, now: .now)
    alarm.set(patience.next(), in: shared.poller)
    return true
  }

  /// Puts the packet of a stopped wire back in line.
  mutating func resume(_ key: UInt64) throws(Errno) {
    guard let slot = wires[key], slot.isStopped else { return }
    try shared.poller.modify(slot.end.socket.descriptor.number, signs(of: key), key: key)
    wires.setStopped(false, on: key)
    order.insert(key, stamp: slot.lastStamp, previousStamp: slot.lastStamp, now: wallClockNanoseconds)
  }

  mutating func goOn(_ key: UInt64?) {
    guard let key else { return }
    do { try resume(key) } catch { fault(.unreadable(error.description), on: key) }
  }

  /// The poller has news of a stopped wire.
  mutating func noticeHangUp(of key: UInt64, _ slot: WireSlot) throws(Errno) {
    guard hasHungUp(slot) else { return }
    charges.leaveLine(key)
    starved.removeAll { $0 == key }
    try resume(key)
  }

  /// Others close descriptors without a word to this port.
  mutating func retryStarved() throws(Errno) {
    guard !starved.isEmpty, DescriptorReserve.hasRoom(shared.poller.descriptor) else { return }
    let going = starved.prefix(Limits.starvedPerLook)
    starved.removeFirst(going.count)
    for key in going { try resume(key) }
  }

  /// Before the port moves: what stopped wires have in hand travels in line with the other mail, and holders get what
  /// they are owed, because the next owner begins to count anew. If the port stays, the wires stop again.
  mutating func settleCopiesBeforeMove() throws(Errno) {
    for key in wires.keys {
      charges.leaveLine(key)
      try resume(key)
      guard let end = wires[key]?.end, let owed = wires.withCredit(of: key, { $0.owed }), owed > 0 else { continue }
      if end.giveCopyCredit(owed) { _ = wires.withCredit(of: key) { $0.wasGiven(owed) } }
    }
    starved.removeAll()
    endAllPatience()
  }

  func mayAdopt(_ number: CInt, under parent: UInt64) -> Bool {
    charges.hasRoom(under: parent) && !isStarved(by: number)
  }

  /// A copy was dealt with: its giver may make another one.
  mutating func giveCredit(to end: MailboxEnd, _ key: UInt64) {
    endPatience(of: key)
    guard let count = wires.withCredit(of: key, { $0.settle() }) ?? nil, end.giveCopyCredit(count) else { return }
    _ = wires.withCredit(of: key) { $0.wasGiven(count) }
  }

  // MARK: Patience

  /// Wires that were stopped for so long go on, and what they bring is refused until there is room: they may be what
  /// the room is waiting for.
  mutating func refuseOverdue() {
    if patience.isEmpty { return }
    let over = patience.takeOver(now: .now)
    if !over.isEmpty {
      let overdue = Set(over)
      starved.removeAll { overdue.contains($0) }
      for key in over {
        wires[key]?.refuses = true
        charges.leaveLine(key)
        goOn(key)
      }
    }
    alarm.set(patience.next(), in: shared.poller)
  }

  mutating func endPatience(of key: UInt64) {
    if patience.isEmpty { return }
    patience.end(key)
    alarm.set(patience.next(), in: shared.poller)
  }

  mutating func endAllPatience() {
    patience.endAll()
    alarm.set(nil, in: shared.poller)
  }

  /// When the thread that sleeps for all must look up though nothing woke it; nil for never.
  mutating func pauseForLeader() -> Duration? {
    if !starved.isEmpty { return Limits.starvedPause }
    if !bell.exists { return Limits.blindPause }
    guard !patience.isEmpty else { return nil }
    alarm.set(patience.next(), in: shared.poller)
    return alarm.moment == nil ? Limits.blindPause : nil
  }

  private func isStarved(by number: CInt) -> Bool {
    DescriptorReserve.contains(number) && !DescriptorReserve.hasRoom(shared.poller.descriptor)
  }

  private func hasHungUp(_ slot: WireSlot) -> Bool {
    (try? LinuxSystem.hasHungUp(of: slot.end.socket.descriptor.number)) ?? true
  }
}
