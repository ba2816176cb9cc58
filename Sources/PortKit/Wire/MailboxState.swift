import LinuxSystem

/// What a mailbox knows, guarded by the mailbox's lock: its wires, the packets in hand, notices, and what is armed.
struct MailboxState: ~Copyable {
  static let doorbellKey: UInt64 = 0
  static let watchFlag: UInt64 = 1 << 63

  let shared: SharedPoller
  var wires = WireTable()
  private var order = ArrivalOrder()
  private var receiver = PacketReceiver()
  private var events = ReadyEvents()
  /// Out on loan while a thread sleeps in the poll.
  var sleepersEvents: ReadyEvents? = ReadyEvents()
  /// The wire that a packet was last delivered from: it must be looked at again before another one is.
  private var refill: UInt64?
  private var receivesSincePoll = 0

  private(set) var notices: [PortNotification] = []
  private(set) var bell: EventCounter?
  private var watches = WatchTable()

  var acceptsAdoption = true
  var isClosed = false
  var isPolling = false
  var makeSendCount = 0
  private var hadSenders = false
  private var noSendersSync: Int?
  /// Why wires were closed by us, the latest last. For the log of a daemon.
  var faults: [FrameError] = []
  static let faultsKept = 8

  init(_ shared: SharedPoller) { self.shared = shared }

  /// Mail or a notice is in hand, whatever the poller's descriptor says.
  var hasStagedMail: Bool { !order.isEmpty || !notices.isEmpty || noSendersIsDue }

  // MARK: Taking

  /// The next message that may be delivered without sleeping. With `lookAround` the kernel is asked, else only what is
  /// in hand counts.
  mutating func takeReady(lookAround: Bool) throws(Errno) -> Message? {
    var mayPoll = lookAround
    while true {
      if !notices.isEmpty { return takeNotice() }
      if let key = refill, !order.isEmpty {
        refill = nil
        try stage(key)
      }
      switch order.next(hasOneWire: wires.count <= 1) {
      case .deliver(let key):
        if let message = try deliver(key) { return message }
      case .poll:
        try poll()
      case .empty:
        if noSendersIsDue { return takeNoSenders() }
        guard mayPoll else { return nil }
        mayPoll = try lookAtKernel()
      }
    }
  }

  /// False when nothing came.
  private mutating func lookAtKernel() throws(Errno) -> Bool {
    if receivesSincePoll < Limits.directReceivesInARow, let only = wires.only {
      // One wire: asking it costs one system call, asking the poller first costs two.
      receivesSincePoll += 1
      if try stage(only) { return true }
    }
    try poll()
    return !order.isEmpty || !notices.isEmpty || noSendersIsDue
  }

  private mutating func takeNotice() -> Message {
    let notice = notices.removeFirst()
    if notices.isEmpty { bell?.clear() }
    return Message(notice)
  }

  // MARK: Polling

  /// Before each poll, blocking ones too: what is older than this reading and still in a wire will be fetched by it.
  mutating func beginPoll() {
    receivesSincePoll = 0
    order.beginPoll(now: wires.count > 1 ? wallClockNanoseconds() : .min)
  }

  private mutating func poll() throws(Errno) {
    beginPoll()
    try fetchReady()
  }

  /// Stages a packet of each readable wire. The kernel shows what it has in batches, each member once before any one
  /// comes again.
  private mutating func fetchReady() throws(Errno) {
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
  }

  /// A thread sleeps in the poll although mail is in hand, taken from the kernel by another thread.
  mutating func wakeSleeper() throws(Errno) {
    if isPolling && hasStagedMail { try ringBell() }
  }

  private mutating func process(key: UInt64) throws(Errno) {
    if key == Self.doorbellKey {
      // Rung for mail in hand: whoever looks now takes it.
      if notices.isEmpty && !noSendersIsDue { bell?.clear() }
    } else if key & Self.watchFlag != 0 {
      guard let watch = watches.remove(key) else { return }
      shared.poller.remove(watch.descriptor)
      for request in watch.requests { post(.deadName(request)) }
    } else {
      try stage(key)
    }
  }

  /// Takes the next packet of a wire in hand. False when there is none.
  @discardableResult
  private mutating func stage(_ key: UInt64) throws(Errno) -> Bool {
    guard let slot = wires[key], slot.staged == nil else { return false }
    switch try receiver.receive(from: slot.end.socket) {
    case .nothing: return false
    case .end:
      end(key)
      return false
    case .packet(let buffer, let descriptors):
      do throws(FrameError) {
        try admit(buffer, descriptors, on: key, after: slot.lastStamp)
        return true
      } catch {
        fault(error, on: key)
        return false
      }
    }
  }

  /// Checks the whole packet before anything of it is delivered.
  private mutating func admit(
    _ buffer: PacketBuffer, _ descriptors: DescriptorList?, on key: UInt64, after previous: Int64
  ) throws(FrameError) {
    if receiver.isTruncated { throw .truncated }
    let decoder = PacketDecoder(
      size: buffer.count, descriptorCount: descriptors?.count ?? 0, descriptorsWereLost: receiver.lostDescriptors)
    var check = decoder
    while let frame = try check.next(buffer) { try admit(frame.header, on: key) }
    let stamp = receiver.stampNanoseconds
    let packet = StagedPacket(
      buffer: buffer, descriptors: descriptors, sender: receiver.sender, decoder: decoder)
    wires.stage(packet, stamp: stamp, on: key)
    order.insert(key, stamp: stamp, previousStamp: previous, now: wallClockNanoseconds)
  }

  private func admit(_ header: FrameHeader, on key: UInt64) throws(FrameError) {
    let isOnce = wires[key]?.end.isSendOnce ?? false
    switch header.kind {
    case .message: return
    case .call where !isOnce: return
    case .adopt where !isOnce && acceptsAdoption: return
    case .call, .adopt, .reply, .replyDropped, .adoptReply, .adopted: throw .unexpected("frame kind \(header.kind)")
    }
  }

  // MARK: Delivering

  /// One frame of the wire's packet. Nil when it was for the library, or the wire failed.
  private mutating func deliver(_ key: UInt64) throws(Errno) -> Message? {
    guard let slot = wires[key], var staged = slot.staged else { return nil }
    do throws(FrameError) {
      guard let frame = try staged.decoder.next(staged.buffer) else { return nil }
      let isLast = staged.decoder.isAtEnd
      wires.setStaged(isLast ? nil : staged, on: key)
      if isLast { refill = key } else { order.putBackLast() }
      guard frame.header.kind == .adopt else { return try message(frame, staged, from: slot.end, key) }
      try adopt(staged.descriptors?.take(frame.firstDescriptor))
      return nil
    } catch {
      fault(error, on: key)
      return nil
    }
  }

  private mutating func message(
    _ frame: Frame, _ staged: StagedPacket, from end: MailboxEnd, _ key: UInt64
  ) throws(FrameError) -> Message {
    if frame.header.kind == .call {
      guard end.owe(frame.header.sequence) else { throw .unexpected("a call over the limit") }
      let reply = SendOnceRight(replyOn: end, sequence: frame.header.sequence)
      return try Message(frame, staged.buffer, staged.descriptors, sender: staged.sender, reply: reply)
    }
    let message = try Message(frame, staged.buffer, staged.descriptors, sender: staged.sender, reply: nil)
    if end.isSendOnce { close(key) }
    return message
  }

  // MARK: Wires

  /// The key of the new wire; nil when this socket is a wire of the port already.
  @discardableResult
  mutating func add(_ end: MailboxEnd) throws(Errno) -> UInt64? {
    let cookie = try end.socket.cookie()
    guard let key = wires.insert(end, cookie: cookie) else { return nil }
    do {
      try shared.poller.add(end.socket.descriptor.number, .readable, key: key)
    } catch {
      wires.remove(key)
      throw error
    }
    if !end.isSendOnce { hadSenders = true }
    return key
  }

  /// A copy of a right: its mailbox end came down the wire of the original.
  private mutating func adopt(_ descriptor: consuming Descriptor?) throws(FrameError) {
    // Lost for lack of descriptors: the copy's holder sees a dead name, the wire that brought it is innocent.
    guard let descriptor = consume descriptor else { return }
    let end = MailboxEnd(PacketSocket(descriptor))
    let key: UInt64?
    do {
      // What arrives may be any file: first whether it is a wire at all.
      _ = try end.socket.cookie()
      try end.socket.enableWitness()
      key = try add(end)
      // Before anything else is delivered: the copy's first message may be older than other heads.
      if let key, try end.confirmAdoption() { try stage(key) }
    } catch {
      if error.isDescriptorShortage || error == .outOfMemory { return }  // Ours; the wire that brought it is innocent.
      throw .unexpected("a descriptor that is not a wire (\(error))")
    }
    if key == nil { throw .unexpected("a wire that is here already") }
  }

  private mutating func end(_ key: UInt64) {
    guard let slot = wires[key] else { return }
    shared.poller.remove(slot.end.socket.descriptor.number)
    wires.remove(key)
    if slot.end.isSendOnce { post(.sendOnce) }
  }

  /// Ends a wire that did its work or broke the rules.
  private mutating func close(_ key: UInt64) {
    guard let slot = wires.remove(key) else { return }
    shared.poller.remove(slot.end.socket.descriptor.number)
    slot.end.close()
  }

  private mutating func fault(_ error: FrameError, on key: UInt64) {
    if faults.count == Self.faultsKept { faults.removeFirst() }
    faults.append(error)
    let wasOnce = wires[key]?.end.isSendOnce ?? false
    close(key)
    if wasOnce { post(.sendOnce) }
  }

  mutating func closeAll() {
    isClosed = true
    for key in wires.keys { close(key) }
    notices.removeAll()
    watches.removeAll()
  }

  // MARK: Notices

  mutating func post(_ notice: PortNotification) {
    if isClosed { return }
    notices.append(notice)
  }

  /// Makes the poller's descriptor readable for a notice that no descriptor of a wire brings. All others are found by a
  /// thread that looks at the poller, and are in hand then.
  private mutating func ringBell() throws(Errno) {
    if bell == nil {
      let bell = try EventCounter()
      try shared.poller.add(bell.descriptor.number, .readable, key: Self.doorbellKey)
      self.bell = consume bell
    }
    bell?.ring()
  }

  mutating func watch(_ descriptor: CInt, _ request: DeadNameRequest) throws(Errno) {
    if watches.join(descriptor, request) { return }
    let key = Self.watchFlag | request.number
    try shared.poller.add(descriptor, [.peerClosed, .oneShot], key: key)
    watches.insert(descriptor, request, key: key)
  }

  mutating func unwatch(_ descriptor: CInt, _ request: DeadNameRequest) {
    // Not the last one: the others go on. Fired already: the kernel may know this number as another watch by now.
    if watches.leave(descriptor, request) { shared.poller.remove(descriptor) }
  }

  // MARK: No senders

  mutating func armNoSenders(sync: Int) throws(Errno) {
    noSendersSync = sync
    // Later it is a wire's end that wakes the poller; what is due now shows in no descriptor.
    if noSendersIsDue { try ringBell() }
  }

  private var noSendersIsDue: Bool {
    guard let sync = noSendersSync else { return false }
    return wires.senders == 0 && sync <= makeSendCount && (hadSenders || sync == 0)
  }

  private mutating func takeNoSenders() -> Message {
    noSendersSync = nil
    if notices.isEmpty { bell?.clear() }
    return Message(.noSenders(makeSendCount: makeSendCount))
  }
}
