import LinuxSystem

extension MailboxState {
  /// The key of the new wire; nil when this socket is a wire of the port already.
  @discardableResult
  mutating func add(_ end: MailboxEnd) throws(Errno) -> UInt64? {
    try add(end, cookie: try end.socket.cookie())
  }

  @discardableResult
  private mutating func add(_ end: MailboxEnd, cookie: UInt64) throws(Errno) -> UInt64? {
    guard let key = wires.insert(end, cookie: cookie) else { return nil }
    do {
      try shared.poller.add(end.socket.descriptor.number, .readable, key: key)
    } catch {
      wires.remove(key)
      throw error
    }
    if !end.isSendOnce { hadSenders = true }
    if isShuttingDown { end.socket.shutDownReading() }
    return key
  }

  mutating func give(_ powers: WirePowers, to key: UInt64) {
    if powers.isEmpty { return }
    wires.setPowers(powers, on: key)
    if powers.contains(.introduces) { charges.addIntroducer(key) }
  }

  mutating func noteMadeRight(_ end: MailboxEnd) {
    makeSendCount += 1
    // A fresh holder expects the default.
    if queueLimit != Limits.queueLimit { _ = end.announce(limit: queueLimit) }
  }

  mutating func setQueueLimit(_ limit: Int) {
    if limit == queueLimit { return }
    queueLimit = limit
    highestLimit = max(highestLimit, limit)
    for key in wires.keys { tellLimit(key) }
  }

  /// The holder learns the present limit now, or when it has read what is before it.
  mutating func tellLimit(_ key: UInt64) {
    guard let slot = wires[key], !slot.end.isSendOnce else { return }
    setUntold(key, slot, !slot.end.announce(limit: queueLimit))
  }

  private mutating func setUntold(_ key: UInt64, _ slot: WireSlot, _ isUntold: Bool) {
    if isUntold == untold.contains(key) { return }
    if isUntold { untold.insert(key) } else { untold.remove(key) }
    // A stopped wire is told when it goes on.
    if slot.isStopped { return }
    try? shared.poller.modify(slot.end.socket.descriptor.number, signs(of: key), key: key)
  }

  /// What the poller is to tell of a wire that is read.
  func signs(of key: UInt64) -> Readiness { untold.contains(key) ? [.readable, .writable] : .readable }

  /// A wire that was moved here: its holder is told the limit, and its library that the wire has a mailbox.
  mutating func confirmRestored(_ key: UInt64) throws(Errno) {
    guard let slot = wires[key], !slot.end.isSendOnce else { return }
    // No room means that it was told often already that its wire has a mailbox.
    let isTold = try slot.end.confirmAdoption(limit: queueLimit)
    setUntold(key, slot, !isTold)
  }

  /// A copy of a right: its mailbox end came down the wire `parent` of the original.
  mutating func adopt(_ descriptor: consuming Descriptor?, under parent: UInt64) throws(FrameError) {
    // Lost for lack of descriptors, or refused because its account is full and its giver gone or its time over: the
    // copy's holder sees a dead name, the wire that brought it goes on.
    guard let descriptor = consume descriptor, mayAdopt(descriptor.number, under: parent) else {
      goOn(charges.nextInLine(with: parent))
      return
    }
    let end = MailboxEnd(PacketSocket(DescriptorReserve.movedOut(descriptor)))
    let key: UInt64?
    do {
      // What arrives may be any file: first whether it is a wire at all.
      let cookie = try end.socket.cookie()
      if cookie == mayComeAgain, wires.contains(cookie: cookie) { return mayComeAgain = nil }
      try end.socket.enableWitness()
      key = try add(end, cookie: cookie)
      if let key {
        charges.adopt(key, under: parent)
        wires[parent]?.refuses = false
        noteAdopted(key)
      }
      // Before anything else is delivered: the copy's first message may be older than other heads.
      if let key, try end.confirmAdoption(limit: queueLimit) { try stage(key) }
    } catch {
      // Ours; the wire that brought it is innocent.
      if error.isDescriptorShortage || error == .outOfMemory || error == .noBufferSpace { return }
      throw .unexpected("a descriptor that is not a wire (\(error))")
    }
    if key == nil { throw .unexpected("a wire that is here already") }
  }

  mutating func end(_ key: UInt64) {
    guard let slot = wires[key] else { return }
    shared.poller.remove(slot.end.socket.descriptor.number)
    wires.remove(key)
    untold.remove(key)
    endPatience(of: key)
    hideFromKeeper(key, isNotice: slot.end.isSendOnce)
    goOn(charges.remove(key))
    if slot.end.isSendOnce { post(.sendOnce) }
    sendNoSenders()
  }

  /// Ends a wire that did its work or broke the rules.
  mutating func close(_ key: UInt64) {
    guard let slot = wires.remove(key) else { return }
    untold.remove(key)
    shared.poller.remove(slot.end.socket.descriptor.number)
    endPatience(of: key)
    hideFromKeeper(key, isNotice: false)
    slot.end.close()
    if !isClosed { goOn(charges.remove(key)) }
    sendNoSenders()
  }

  mutating func fault(_ error: FrameError, on key: UInt64) {
    note(error)
    let wasOnce = wires[key]?.end.isSendOnce ?? false
    close(key)
    if wasOnce { post(.sendOnce) }
  }

  mutating func note(_ error: FrameError) {
    if faults.count == Self.faultsKept { faults.removeFirst() }
    faults.append(error)
    faultCount += 1
  }

  mutating func closeAll() {
    isClosed = true
    keeper = nil
    for key in wires.keys { close(key) }
    kept.removeAll()
    notices.removeAll()
    watches.removeAll()
    endAllPatience()
  }
}
