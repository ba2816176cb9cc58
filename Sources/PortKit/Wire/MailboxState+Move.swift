import LinuxSystem

extension MailboxState {
  // MARK: Leaving

  /// The port as it travels, and its descriptors, which stay this mailbox's until it has left. In a move every reply
  /// that is still owed gets a wire of its own first: a wire must not have two owners.
  ///
  /// Send-once notices in hand travel, because each send-once right gives exactly one message. Dead-name requests to
  /// this port end: they watch rights of this process. What was at fault here is not the next owner's to log.
  borrowing func image(isMove: Bool) throws(Errno) -> (PortImage, [CInt]) {
    var image = settings()
    var numbers: [CInt] = []
    var places: [UInt64: Int] = [:]
    // An account may outlive the wire that pays: then the first of its wires pays for the others.
    var payers: [UInt64: Int] = [:]
    let keys = wires.keys
    for (place, key) in keys.enumerated() { places[key] = place }
    for (place, key) in keys.enumerated() {
      guard let slot = wires[key] else { continue }
      if isMove { try slot.end.promoteOwed() }
      numbers.append(slot.end.socket.descriptor.number)
      let payer = charges.payer(of: key)
      let payersPlace = places[payer] ?? payers[payer] ?? place
      payers[payer] = payersPlace
      image.wires.append(
        PortImage.Wire(
          isSendOnce: slot.end.isSendOnce, credit: slot.credit, powers: slot.powers, payer: payersPlace,
          lastStamp: slot.lastStamp, peerCookie: slot.end.peerCookie))
    }
    let ranks = Dictionary(uniqueKeysWithValues: order.ranks.map { ($0.key, $0.rank) })
    for (place, key) in keys.enumerated() {
      guard let slot = wires[key], let staged = slot.staged else { continue }
      // A stopped wire has no rank: it is in line again with the new owner.
      let (packet, descriptors) = Self.image(of: staged, wire: place, rank: ranks[key] ?? slot.lastStamp)
      image.staged.append(packet)
      numbers += descriptors
    }
    if isMove, let keeper {
      image.hasKeeper = true
      numbers.append(keeper.wire.socket.descriptor.number)
    }
    return (image, numbers)
  }

  /// What the mailbox knows beside its wires and mail.
  borrowing func settings() -> PortImage {
    var image = PortImage()
    image.hadSenders = hadSenders
    image.acceptsAdoption = acceptsAdoption
    image.queueLimit = queueLimit
    image.highestLimit = highestLimit
    // As many as an image can say.
    image.copyLimit = min(charges.limit, Int(UInt32.max))
    if let noSenders, !noSenders.isForOtherPort {
      image.noSendersSync = max(0, noSenders.request.sync - makeSendCount)
    } else if notices.hasNoSenders {
      // Its count means nothing to the next owner, who would take it for news: what was told and not received is asked
      // for again.
      image.noSendersSync = 0
    }
    image.sendOnceNotices = notices.sendOnceCount
    return image
  }

  private static func image(of staged: StagedPacket, wire: Int, rank: Int64) -> (PortImage.Staged, [CInt]) {
    let rest = staged.decoder.rest
    let waiting = staged.descriptors?.numbers(from: rest.firstDescriptor) ?? []
    var bytes: [UInt8] = []
    bytes.append(contentsOf: staged.buffer.bytes(rest.bytes))
    let packet = PortImage.Staged(
      wire: wire, rank: rank, sender: staged.sender, firstDescriptor: rest.firstDescriptor,
      descriptors: waiting.count, descriptorsWereLost: rest.descriptorsWereLost, bytes: bytes)
    return (packet, waiting)
  }

  /// The port has left: its wires and its mail are another mailbox's. Nothing is shut down.
  mutating func depart(leaving dead: borrowing PacketSocket) {
    isClosed = true
    for key in wires.keys {
      guard let slot = wires.remove(key) else { continue }
      // The poller would go on reporting a socket that lives on elsewhere.
      shared.poller.remove(slot.end.socket.descriptor.number)
      slot.end.letGo(leaving: dead)
    }
    keeper = nil
    kept.removeAll()
    order = ArrivalOrder()
    refill = nil
    charges = ChargeTree(limit: charges.limit)
    starved.removeAll()
    untold.removeAll()
    endAllPatience()
    notices.removeAll()
    watches.removeAll()
    loseNoSenders()
  }

  // MARK: Arriving

  /// Fills a fresh mailbox. Returns the keys of the wires; nil when this process had no room for something: then there
  /// is no port.
  mutating func restore(
    _ image: PortImage, _ descriptors: DescriptorList, mover: Credentials?
  ) throws(FrameError) -> [UInt64]? {
    queueLimit = image.queueLimit
    highestLimit = max(highestLimit, image.highestLimit, queueLimit)
    // What the copies of others may cost a process is said by those who could do it any harm anyway.
    let isTrusted = Self.isTrusted(mover)
    _ = charges.setLimit(isTrusted ? image.copyLimit : min(image.copyLimit, Limits.copiesPerRight))
    var keys: [UInt64] = []
    for (place, wire) in image.wires.enumerated() {
      guard let descriptor = descriptors.take(place) else { return nil }
      guard let key = try restore(wire, PacketSocket(descriptor)) else { return nil }
      keys.append(key)
      if isTrusted { give(wire.powers, to: key) }
    }
    for (place, wire) in image.wires.enumerated() where wire.payer != place {
      charges.adopt(keys[place], under: keys[wire.payer])
    }
    acceptsAdoption = image.acceptsAdoption
    hadSenders = image.hadSenders || wires.senders > 0
    noSenders = image.noSendersSync.map { ArmedNoSenders(NoSendersRequest(target: port, sync: $0)) }
    for _ in 0..<image.sendOnceNotices { notices.append(.sendOnce) }
    var next = image.wires.count
    for packet in image.staged {
      guard try restore(packet, on: keys[packet.wire], descriptors, from: next, mover, isKept: image.hasKeeper) else {
        return nil
      }
      next += packet.descriptors
    }
    if image.hasKeeper {
      guard let descriptor = descriptors.take(next) else { return nil }
      var link = KeeperLink(ControlWire(PacketSocket(descriptor)))
      link.renumber(keys, settings())
      keeper = link
    }
    return keys
  }

  /// It runs for the same user as this process, or for root.
  static func isTrusted(_ mover: Credentials?) -> Bool {
    mover.map { $0.userID == 0 || $0.userID == ProcessFacts.effectiveUser } ?? false
  }

  /// Nil for a shortage of ours.
  private mutating func restore(
    _ wire: PortImage.Wire, _ socket: consuming PacketSocket
  ) throws(FrameError) -> UInt64? {
    let end = MailboxEnd(socket, isSendOnce: wire.isSendOnce, peerCookie: wire.peerCookie)
    let key: UInt64?
    do {
      // What arrives may be any file: first whether it is a wire at all.
      _ = try end.socket.cookie()
      try end.socket.enableWitness()
      key = try add(end)
      // Gives away two ends of one pair: such wires would never end.
      if let key { try confirmRestored(key) }
    } catch {
      if error.isDescriptorShortage || error == .outOfMemory { return nil }
      throw .unexpected("a descriptor that is not a wire (\(error))")
    }
    guard let key else { throw .unexpected("a wire that is here already") }
    wires.setHistory(lastStamp: wire.lastStamp, credit: wire.credit, on: key)
    return key
  }

  private mutating func restore(
    _ packet: PortImage.Staged, on key: UInt64, _ all: DescriptorList, from next: Int, _ mover: Credentials?,
    isKept: Bool
  ) throws(FrameError) -> Bool {
    let list = DescriptorList(empty: packet.firstDescriptor)
    for place in next..<(next + packet.descriptors) {
      guard let descriptor = all.take(place) else { return false }
      list.append(descriptor)
    }
    let buffer = PacketBuffer.take(capacity: packet.bytes.count)
    buffer.copy(packet.bytes, to: 0)
    buffer.count = packet.bytes.count
    let decoder = PacketDecoder(
      size: buffer.count, descriptorCount: list.count, descriptorsWereLost: packet.descriptorsWereLost,
      firstDescriptor: packet.firstDescriptor)
    var check = decoder
    while let frame = try check.next(buffer) { try admit(frame.header, isOnce: wires[key]?.end.isSendOnce ?? false) }
    var staged = StagedPacket(
      buffer: buffer, descriptors: list, sender: Self.believed(packet.sender, from: mover), decoder: decoder)
    staged.place = isKept ? .keeper : .hand
    if let slot = wires[key] {
      slot.stage(staged, stamp: slot.lastStamp)
      wires.hold(packet.descriptors, on: slot)
    }
    order.restore(key, rank: packet.rank)
    return true
  }

  /// The kernel's witness of a packet in hand is now the mover's word. It is believed of those as whom the mover could
  /// send by itself; anybody else is unknown.
  static func believed(_ sender: Credentials?, from mover: Credentials?) -> Credentials? {
    guard let sender, let mover else { return nil }
    if mover.userID == 0 { return sender }
    return sender.userID == mover.userID && sender.groupID == mover.groupID ? sender : nil
  }
}
