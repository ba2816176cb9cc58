import LinuxSystem

/// The owner's side of a kept port. The keeper has a duplicate of each mailbox end and reads from none. What it is told
/// comes before what it is told of: an owner that is killed in between loses the one message that it was about to hand
/// out, and nothing else.
extension MailboxState {
  /// Tells it after all that waits to be told. False when that is not possible now: a keeper that does not read must
  /// not hold up its owner, so what it should know is merged and kept until there is room.
  private mutating func tell(_ news: KeepNews) -> Bool { catchUp() && (try? send(news)) ?? false }

  /// Tells the keeper of the wires that it could not be told of before.
  @discardableResult
  private mutating func catchUp() -> Bool {
    while let removal = keeper?.removals.first {
      guard (try? send(removal)) ?? false else { return false }
      _ = keeper?.removals.popFirst()
    }
    while let key = keeper?.additions.first()?.key {
      guard (try? add(key)) ?? false else { return false }
      keeper?.additions.remove(key)
    }
    return true
  }

  /// False when there is no room for the word. A keeper that is gone is forgotten: the port goes on unkept.
  private mutating func send(_ news: KeepNews, _ descriptors: [CInt] = []) throws(Errno) -> Bool {
    guard let wire = keeper?.wire else { return true }
    do {
      return try wire.socket.sendControl(news.encoded(), descriptors: descriptors)
    } catch {
      guard error.isDeadPeer else { throw error }
      keeper = nil
      return true
    }
  }

  /// Tells the keeper of all that is not about wires, if it changed.
  mutating func keepUp() {
    guard let keeper, !isClosed else { return }
    let now = settings()
    if now == keeper.told && keeper.isUpToDate { return }
    if tell(.settings(now)) { self.keeper?.told = now }
  }

  /// The whole port anew, before it moves and when its keeping begins.
  mutating func settleKeeper(isLast: Bool = false) throws(PortError) {
    // Also of an earlier keeper that is gone: what is in hand must not be in a wire as well when it is packed.
    try translatingErrno { () throws(Errno) in try takeAllOut() }
    if keeper == nil { return }
    let isTold = try translatingErrno { () throws(Errno) -> Bool in
      for key in wires.keys { wires[key]?.staged?.place = .keeper }
      let (image, numbers) = try image(isMove: false)
      let carrier = try Carrier.filled(image.encoded(), numbers)
      return try send(.image(isLast: isLast), [carrier.socket.descriptor.number])
    }
    guard isTold else { throw .keeperNotReading }
    let now = settings()
    keeper?.renumber(wires.keys, now)
  }

  // MARK: Wires

  /// A wire that was made here, before its other end is anybody's.
  mutating func showKeeper(_ key: UInt64) {
    if keeper == nil { return }
    keeper?.additions.append(key, ())
    catchUp()
  }

  private mutating func add(_ key: UInt64) throws(Errno) -> Bool {
    guard let number = keeper?.nextNumber, let slot = wires[key] else { return true }
    let wire = PortImage.Wire(
      isSendOnce: slot.end.isSendOnce, powers: slot.powers, payer: payersNumber(of: key, number),
      lastStamp: slot.lastStamp, peerCookie: slot.end.peerCookie)
    guard try send(.added(number, wire), [slot.end.socket.descriptor.number]) else { return false }
    keeper?.numbers[key] = number
    keeper?.nextNumber += 1
    return true
  }

  /// The number of the wire that pays for what comes down this one; `own` where the keeper knows none.
  private func payersNumber(of key: UInt64, _ own: UInt32) -> Int {
    Int((charges.introduces(key) ? nil : keeper?.numbers[charges.payer(of: key)]) ?? own)
  }

  /// A copy that is about to come down the wire `parent`. Nothing happens where the keeper does not read: then the copy
  /// dies with its owner, unless it is told of later.
  private mutating func handOver(_ end: borrowing PacketSocket, under parent: UInt64) throws(Errno) {
    guard catchUp(), let number = keeper?.nextNumber else { return }
    let cookie = try end.cookie()
    if keeper?.handed?.cookie == cookie || wires.contains(cookie: cookie) { return }
    try end.enableWitness()
    let wire = PortImage.Wire(
      isSendOnce: false, payer: payersNumber(of: parent, number), lastStamp: .min, peerCookie: 0)
    guard try send(.added(number, wire), [end.descriptor.number]) else { return }
    keeper?.handed = (cookie, number)
    keeper?.nextNumber += 1
  }

  /// The copy is a wire of the port now.
  mutating func noteAdopted(_ key: UInt64) {
    guard let handed = keeper?.handed, handed.cookie == wires[key]?.cookie else { return showKeeper(key) }
    keeper?.numbers[key] = handed.number
    keeper?.handed = nil
  }

  /// The copy did not become a wire.
  mutating func withdrawHanded() {
    guard let handed = keeper?.handed else { return }
    keeper?.handed = nil
    tellRemoved(handed.number, isNotice: false)
  }

  /// The wire is over. With `isNotice` the keeper counts its notice at the same moment.
  mutating func hideFromKeeper(_ key: UInt64, isNotice: Bool) {
    guard let number = keeper?.numbers.removeValue(forKey: key) else {
      keeper?.additions.remove(key)
      return
    }
    if isNotice { keeper?.told.sendOnceNotices += 1 }
    tellRemoved(number, isNotice: isNotice)
  }

  private mutating func tellRemoved(_ number: UInt32, isNotice: Bool) {
    let news = KeepNews.removed(number, isNotice: isNotice)
    if !tell(news) { keeper?.removals.append(news) }
  }

  // MARK: Packets

  /// Notes the next packet of a wire, which stays there until it is delivered. False when there is none.
  mutating func see(_ key: UInt64, _ slot: WireSlot) throws(Errno) -> Bool {
    let head = PacketBuffer.take(capacity: FrameHeader.size)
    switch try glimpse(slot, key, head) {
    case .nothing: return false
    case .end:
      end(key)
      return false
    case .packet(_, let stamp):
      if stamp == 0 {
        fault(.unwitnessed, on: key)
        return false
      }
      wires.see(stamp: stamp, on: key)
      order.insert(key, stamp: stamp, previousStamp: slot.lastStamp, now: wallClockNanoseconds)
      return true
    }
  }

  private mutating func glimpse(_ slot: WireSlot, _ key: UInt64, _ head: PacketBuffer) throws(Errno) -> PacketGlimpse {
    do {
      return try slot.end.socket.glimpse(into: head, most: FrameHeader.size)
    } catch {
      if error == .outOfMemory || error == .noBufferSpace { throw error }
      fault(.unreadable(error.description), on: key)
      return .nothing
    }
  }

  /// The packet that was seen comes in hand, to be delivered at once. One of several messages stays in the wire until
  /// its last one: the keeper is told of each.
  mutating func takeSeen(_ key: UInt64, _ slot: WireSlot) throws(Errno) {
    wires.setSeen(false, on: key)
    let head = PacketBuffer.take(capacity: FrameHeader.size)
    guard case .packet(let size, _) = try glimpse(slot, key, head) else { return }
    let header = try? FrameHeader(decoding: head.bytes(0..<head.count))
    let isWhole = header.map { Int($0.frameSize) == size } ?? true
    if header?.kind == .adopt {
      if stopSeenIfOver(key, slot) { return }
      if keeper != nil, charges.hasRoom(under: key), try mustWait(key, slot) { return }
    }
    if slot.end.isSendOnce { hideFromKeeper(key, isNotice: false) }
    let stays = keeper != nil && !isWhole && !slot.end.isSendOnce
    do throws(FrameError) {
      guard case .packet(let buffer, let descriptors) = try take(slot, stays: stays) else { return }
      var staged = try checked(buffer, descriptors, on: slot)
      if stays { staged.place = .wire }
      wires.setStaged(staged, on: key)
    } catch {
      fault(error, on: key)
    }
  }

  private mutating func take(_ slot: WireSlot, stays: Bool) throws(FrameError) -> PacketArrival {
    do {
      return stays ? try receiver.peek(from: slot.end.socket) : try receiver.receive(from: slot.end.socket)
    } catch {
      throw .unreadable(error.description)
    }
  }

  /// The keeper gets the copy's end before this process takes it out of the wire. True when that is not possible now:
  /// the wire is looked at again later.
  private mutating func mustWait(_ key: UInt64, _ slot: WireSlot) throws(Errno) -> Bool {
    guard case .packet(_, let descriptors) = try receiver.peek(from: slot.end.socket),
      let copy = descriptors?.take(0)
    else { return false }
    do {
      try handOver(PacketSocket(copy), under: key)
      return false
    } catch {
      // What is no wire is found out when it is taken.
      return error.isDescriptorShortage || error == .noBufferSpace ? stopStarved(key, slot) : false
    }
  }

  /// To be called before a frame is handed out.
  mutating func noteDelivery(_ staged: inout StagedPacket, isLast: Bool, _ key: UInt64, _ slot: WireSlot) throws(Errno)
  {
    staged.delivered += 1
    switch staged.place {
    case .hand: return
    case .wire:
      if isLast { return try takeOut(slot) }
      if keeper != nil, try tellProgress(staged, key, slot) { return }
      // Nobody is told any more: what is left is in hand only.
      try takeOut(slot)
      staged.place = .hand
    case .keeper: _ = try tellProgress(staged, key, slot)
    }
  }

  private mutating func tellProgress(_ staged: StagedPacket, _ key: UInt64, _ slot: WireSlot) throws(Errno) -> Bool {
    guard let number = keeper?.numbers[key] else { return false }
    return tell(.progress(number, KeptState.Progress(stamp: slot.lastStamp, frames: staged.delivered)))
  }

  /// The packet in hand is taken out of its wire.
  private mutating func takeOut(_ slot: WireSlot) throws(Errno) { _ = try receiver.receive(from: slot.end.socket) }

  private mutating func takeAllOut() throws(Errno) {
    for key in wires.keys {
      guard let slot = wires[key], slot.staged?.place == .wire else { continue }
      try takeOut(slot)
      slot.staged?.place = .hand
    }
  }

  // MARK: The end

  /// The port goes to its keeper, with all that is queued and in hand. False when there is none.
  mutating func leaveToKeeper() -> Bool {
    guard let wire = keeper?.wire, !wire.hasHungUp else { return false }
    // Replies that are still owed can be given: they get wires of their own. Whose has no room ends unanswered.
    for key in wires.keys { try? wires[key]?.end.promoteOwed() }
    try? settleKeeper(isLast: true)
    if keeper == nil { return false }
    wire.socket.shutDown()
    depart(leaving: wire.socket)
    return true
  }
}
