import LinuxSystem
import Synchronization

/// The port itself: all wires of one receive right behind one poller. Threads may receive side by side; one of them
/// sleeps in the kernel for all.
final class Mailbox: Sendable {
  let mark = ProcessMark()
  let id = PortID.fresh()
  let state: Monitor<MailboxState>
  let shared: SharedPoller
  let tasks = Mutex<TaskWatch?>(nil)
  static let nextRequest = Atomic<UInt64>(1)

  init() throws(PortError) {
    shared = SharedPoller(try translatingErrno { () throws(Errno) -> Poller in try Poller() })
    state = Monitor(MailboxState(id, shared))
  }

  deinit {
    if mark.isCurrent, let watch = tasks.withLock({ $0 }) { watch.reactor.remove(watch.key, memberDescriptor) }
  }

  /// For sets, which are told of mail in hand.
  var memberDescriptor: CInt { shared.poller.descriptor.number }

  /// For everybody else.
  var pollDescriptor: CInt {
    if !mark.isCurrent { return memberDescriptor }
    state.withLock { state in
      state.isWatched = true
      // For what is posted by other threads. Without one they are seen at the next look.
      try? state.bell.install(in: shared.poller)
      state.settleBell(.stranger)
    }
    return memberDescriptor
  }

  var hasStagedMail: Bool { mark.isCurrent && state.withLock { $0.hasStagedMail } }
  /// A thread sleeps in the kernel for this port.
  var isBeingPolled: Bool { mark.isCurrent && state.withLock { $0.leader != nil } }
  var waiterCount: Int { !mark.isCurrent ? 0 : state.withLock { $0.waiters.count } }
  var makeSendCount: Int { !mark.isCurrent ? 0 : state.withLock { $0.makeSendCount } }
  var faults: [FrameError] { !mark.isCurrent ? [] : state.withLock { $0.faults } }

  /// In a child made by `fork` no port is left. Its lock may be held there for ever.
  func checkProcess() throws(PortError) {
    if !mark.isCurrent { throw .deadName }
  }

  /// The state, for the one who owns the port by this number. What is to be done for other ports follows when the lock
  /// is free again: two ports are never locked at once.
  func withState<Result: ~Copyable>(
    of owner: UInt64?, _ body: (inout MailboxState) throws(PortError) -> Result
  ) throws(PortError) -> Result {
    try locked { (state) throws(PortError) -> Result in
      guard !state.isClosed, owner == nil || state.owner == owner else { throw .portChanged }
      return try body(&state)
    }
  }

  func locked<Result: ~Copyable>(
    _ body: (inout MailboxState) throws(PortError) -> Result
  ) throws(PortError) -> Result {
    try checkProcess()
    var errands: [Errand] = []
    defer { for errand in errands { errand.run() } }
    return try state.withLock { (state) throws(PortError) -> Result in
      defer {
        state.keepUp()
        if !state.errands.isEmpty {
          errands = state.errands
          state.errands.removeAll()
        }
      }
      return try body(&state)
    }
  }

  // MARK: Receiving

  /// Never waits. Those who do come first.
  func receiveIfReady(owner: UInt64) throws(PortError) -> Message? {
    var hadErrands = false
    let message = try withState(of: owner) { (state) throws(PortError) -> Message? in
      let message = try take(.owner, &state)
      hadErrands = !state.errands.isEmpty
      return message
    }
    switch consume message {
    case .some(let message): return message
    case .none where hadErrands:
      // They may have brought a notice.
      return try withState(of: owner) { (state) throws(PortError) -> Message? in try take(.owner, &state) }
    case .none: return nil
    }
  }

  /// The same for a set. Nil also when the membership has ended. `hasMore` tells of mail that only the set knows of.
  func receiveIfReady(membership key: UInt64, hasMore: inout Bool) throws(PortError) -> Message? {
    try locked { (state) throws(PortError) -> Message? in
      guard state.memberships.contains(where: { $0.key == key }) else { return nil }
      let message = try take(.set(key), &state)
      hasMore = state.hasStagedMail
      return message
    }
  }

  private func take(_ taker: Taker, _ state: inout MailboxState) throws(PortError) -> Message? {
    defer { if !state.waiters.isEmpty || state.leader != nil { self.state.notifyAll() } }
    do throws(Errno) {
      try state.serveWaiters(lookAround: true)
      let message = state.waiters.isEmpty ? try state.takeReady(lookAround: true) : nil
      state.settleBell(taker)
      return message
    } catch {
      state.settleBell(taker)
      throw PortError(error)
    }
  }

  /// Those who wait are served first come, first served.
  func receive(owner: UInt64, until deadline: Deadline) throws(PortError) -> Message {
    var turn = try withState(of: owner) { (state) throws(PortError) -> ReceiveTurn in
      do throws(Errno) { return try state.beginReceive() } catch { throw PortError(error) }
    }
    while true {
      switch consume turn {
      case .message(let message): return message
      case .follow(let waiter):
        let inTime = state.wait(until: deadline, while: { $0.mustFollow(waiter) })
        turn = try locked { (state) throws(PortError) -> ReceiveTurn in
          try resume(waiter, isLate: !inTime, failure: nil, &state)
        }
      case .again(let waiter):
        turn = try locked { (state) throws(PortError) -> ReceiveTurn in
          try resume(waiter, isLate: deadline.hasPassed, failure: nil, &state)
        }
      case .lead(let waiter, var events, let pause):
        var limit = deadline
        if let pause { limit = deadline.orAfter(pause) }
        let failure = sleep(into: &events, until: limit)
        turn = try endLead(waiter, events, isLate: deadline.hasPassed, failure)
      }
    }
  }

  private func endLead(
    _ waiter: Waiter, _ events: consuming ReadyEvents, isLate: Bool, _ failure: Errno?
  ) throws(PortError) -> ReceiveTurn {
    var events: ReadyEvents? = consume events
    return try locked { (state) throws(PortError) -> ReceiveTurn in
      if let ready = events.take(), let message = state.endLead(ready) { return state.end(waiter, with: message) }
      return try resume(waiter, isLate: isLate, failure: failure, &state)
    }
  }

  private func resume(
    _ waiter: Waiter, isLate: Bool, failure: Errno?, _ state: inout MailboxState
  ) throws(PortError) -> ReceiveTurn {
    let others = state.waiters.count
    defer {
      // Some were served, or somebody else must lead.
      if others > 1 || !state.waiters.isEmpty { self.state.notifyAll() }
    }
    return try state.resume(waiter, isLate: isLate, failure: failure)
  }

  private func sleep(into events: inout ReadyEvents, until deadline: Deadline) -> Errno? {
    do {
      try shared.poller.wait(into: &events, until: deadline)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Owners

  /// Makes the present owner's value an empty shell. Returns the number of the next one.
  func transfer(from owner: UInt64) throws(PortError) -> UInt64 {
    let next = try endOwnership(owner) { (state) throws(PortError) in
      try state.checkMovable()
    }
    return next
  }

  /// What those who wait get, and what the owner's sets lose, is decided at one moment.
  private func endOwnership(
    _ owner: UInt64, _ body: (inout MailboxState) throws(PortError) -> Void
  ) throws(PortError) -> UInt64 {
    var memberships: [Membership] = []
    let next = try withState(of: owner) { (state) throws(PortError) -> UInt64 in
      try body(&state)
      state.owner += 1
      state.turnWaitersAway()
      memberships = state.memberships
      state.memberships.removeAll()
      state.settleBell(.owner)
      return state.owner
    }
    state.notifyAll()
    Membership.end(memberships)
    return next
  }

  /// Destroys the port by its holder's wish.
  func destroy(owner: UInt64, guard context: UInt64?) throws(PortError) {
    try finish(owner: owner) { (state) throws(PortError) in try state.checkGuard(context) }
  }

  /// The end of a right's value. Nothing happens if the port has another owner by now.
  func end(owner: UInt64) {
    try? finish(owner: owner) { (state) throws(PortError) in
      // No other value owns the port, so it cannot live on. A program under test is told; one in use goes on.
      assert(state.guardValue == nil, "\(state.port) was dropped, guarded by \(state.guardValue!.value)")
    }
  }

  private func finish(owner: UInt64, _ check: (inout MailboxState) throws(PortError) -> Void) throws(PortError) {
    _ = try endOwnership(owner) { (state) throws(PortError) in
      try check(&state)
      _ = state.leaveToKeeper()
      state.loseNoSenders()
      state.closeAll()
    }
  }

  // MARK: Wires

  /// A new wire into this port; the other end is the holder's.
  ///
  /// - Parameter powers: with `introduces` its holder hands out copies to others, who pay for their own.
  func makeWire(isSendOnce: Bool, powers: WirePowers = [], owner: UInt64? = nil) throws(PortError) -> PacketSocket {
    let pair = try translatingErrno { () throws(Errno) -> PacketSocketPair in try PacketSocket.pair() }
    let peer = try translatingErrno { () throws(Errno) -> UInt64 in try pair.first.cookie() }
    let end = MailboxEnd(pair.second, isSendOnce: isSendOnce, peerCookie: peer)
    try withState(of: owner) { (state) throws(PortError) in
      try translatingErrno { () throws(Errno) in
        try end.socket.enableWitness()
        if !isSendOnce { try state.fixNoSenders() }
        if let key = try state.add(end) {
          state.give(powers, to: key)
          state.showKeeper(key)
        }
      }
      if !isSendOnce { state.noteMadeRight(end) }
      if state.hasStagedMail { try serveAfterPost(&state) }
    }
    return pair.first
  }

  /// Takes over the accepted end of a connection as a wire.
  func adopt(_ socket: consuming PacketSocket) throws(PortError) {
    try checkProcess()
    let end = MailboxEnd(socket)
    try translatingErrno { () throws(Errno) in
      try end.socket.enableWitness()
      try state.withLock { (state) throws(Errno) in
        // A client of a service port may not bring further wires: each would cost this process a descriptor.
        state.acceptsAdoption = false
        try state.add(end)
      }
    }
  }

  var queueLimit: Int { !mark.isCurrent ? 0 : state.withLock { $0.queueLimit } }

  func setQueueLimit(_ limit: Int) {
    try? locked { (state) throws(PortError) in state.setQueueLimit(limit) }
  }

  // MARK: Copies

  var copyLimit: Int { !mark.isCurrent ? 0 : state.withLock { $0.charges.limit } }
  /// Wires that wait until their account has room or descriptors are free.
  var stoppedWires: Int { !mark.isCurrent ? 0 : state.withLock { $0.charges.stoppedCount + $0.starved.count } }

  func setCopyLimit(_ limit: Int) throws(PortError) {
    try withState(of: nil) { (state) throws(PortError) in
      try translatingErrno { () throws(Errno) in
        for key in state.charges.setLimit(limit) { try state.resume(key) }
      }
      // A thread may sleep, and no descriptor shows what goes on now.
      try serveAfterPost(&state)
    }
  }

  /// From now on every send to this port fails with a dead name; what was sent before can be received, and owed replies
  /// given. Copies that are still under way come to the same end.
  func cutOff(owner: UInt64) throws(PortError) {
    try withState(of: owner) { (state) throws(PortError) in
      try state.checkGuard(nil)
      state.isShuttingDown = true
      for key in state.wires.keys { state.wires[key]?.end.socket.shutDownReading() }
      // Wires of accounts without room are read now: they end, and there is no further one to pay for.
      try translatingErrno { () throws(Errno) in
        for key in state.charges.setLimit(.max) { try state.resume(key) }
      }
      state.settleBell(.owner)
    }
  }
}

/// One poller for the lock's holder and for the thread that sleeps without the lock.
final class SharedPoller: Sendable {
  let poller: Poller

  init(_ poller: consuming Poller) { self.poller = poller }
}
