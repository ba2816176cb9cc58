import LinuxSystem
import Synchronization

/// The port itself: all wires of one receive right behind one poller. Threads may receive side by side; one of them
/// sleeps in the kernel for all.
final class Mailbox: Sendable {
  private let mark = ProcessMark()
  let state: Monitor<MailboxState>
  private let shared: SharedPoller
  private static let nextRequest = Atomic<UInt64>(1)

  init() throws(PortError) {
    shared = SharedPoller(try translatingErrno { () throws(Errno) -> Poller in try Poller() })
    state = Monitor(MailboxState(shared))
  }

  var pollDescriptor: CInt { shared.poller.descriptor.number }
  var hasStagedMail: Bool { mark.isCurrent && state.withLock { $0.hasStagedMail } }
  /// A thread sleeps in the kernel for this port.
  var isBeingPolled: Bool { mark.isCurrent && state.withLock { $0.isPolling } }
  var makeSendCount: Int { !mark.isCurrent ? 0 : state.withLock { $0.makeSendCount } }
  var faults: [FrameError] { !mark.isCurrent ? [] : state.withLock { $0.faults } }

  /// In a child made by `fork` no port is left. Its lock may be held there for ever.
  private func checkProcess() throws(PortError) {
    if !mark.isCurrent { throw .deadName }
  }

  // MARK: Receiving

  func receiveIfReady() throws(PortError) -> Message? {
    try checkProcess()
    return try translatingErrno { () throws(Errno) -> Message? in
      try state.withLock { (state) throws(Errno) -> Message? in
        let message = try state.takeReady(lookAround: true)
        try state.wakeSleeper()
        return message
      }
    }
  }

  private enum Turn: ~Copyable {
    case message(Message)
    case lead(ReadyEvents, isStarved: Bool)
    case follow
    /// Mail is in hand, behind more of the library's own than one look deals with.
    case again
  }

  func receive(until deadline: Deadline) throws(PortError) -> Message {
    try checkProcess()
    while true {
      switch try nextTurn() {
      case .message(let message): return message
      case .follow:
        if !state.wait(until: deadline, while: { $0.isPolling }) { throw .timedOut }
      case .again: if deadline.hasPassed { throw .timedOut }
      case .lead(var events, let isStarved):
        let failure = sleep(into: &events, until: isStarved ? deadline.orAfter(Limits.starvedPause) : deadline)
        finishPoll(consume events)
        if let failure { throw PortError(failure) }
        if deadline.hasPassed {
          guard let late = try receiveIfReady() else { throw .timedOut }
          return late
        }
      }
    }
  }

  private func nextTurn() throws(PortError) -> Turn {
    try translatingErrno { () throws(Errno) -> Turn in
      try state.withLock { (state) throws(Errno) -> Turn in
        if let message = try state.takeReady(lookAround: false) {
          try state.wakeSleeper()
          return .message(message)
        }
        if state.hasStagedMail {
          try state.wakeSleeper()
          return .again
        }
        guard !state.isPolling, let events = state.sleepersEvents.take() else { return .follow }
        state.isPolling = true
        state.beginPoll()
        return .lead(events, isStarved: !state.starved.isEmpty)
      }
    }
  }

  private func sleep(into events: inout ReadyEvents, until deadline: Deadline) -> Errno? {
    do {
      try shared.poller.wait(into: &events, until: deadline)
      return nil
    } catch {
      return error
    }
  }

  private func finishPoll(_ events: consuming ReadyEvents) {
    var events: ReadyEvents? = consume events
    state.withLock { state in
      state.isPolling = false
      if let ready = events.take() {
        state.finishPoll(ready)
        state.sleepersEvents = consume ready
      }
    }
    state.notifyAll()
  }

  // MARK: Wires

  /// A new wire into this port; the other end is the holder's.
  ///
  /// - Parameter introduces: its holder hands out copies to others, who pay for their own.
  func makeWire(isSendOnce: Bool, introduces: Bool = false) throws(PortError) -> PacketSocket {
    try checkProcess()
    return try translatingErrno { () throws(Errno) -> PacketSocket in
      let pair = try PacketSocket.pair()
      let peer = try pair.first.cookie()
      let end = MailboxEnd(pair.second, isSendOnce: isSendOnce, peerCookie: peer)
      try end.socket.enableWitness()
      try state.withLock { (state) throws(Errno) in
        let key = try state.add(end)
        if let key, introduces { state.charges.addIntroducer(key) }
        if !isSendOnce { state.noteMadeRight(end) }
      }
      return pair.first
    }
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
    if mark.isCurrent { state.withLock { $0.setQueueLimit(limit) } }
  }

  // MARK: Copies

  var copyLimit: Int { !mark.isCurrent ? 0 : state.withLock { $0.charges.limit } }
  /// Wires that wait until their account has room or descriptors are free.
  var stoppedWires: Int { !mark.isCurrent ? 0 : state.withLock { $0.charges.stoppedCount + $0.starved.count } }

  func setCopyLimit(_ limit: Int) throws(PortError) {
    try checkProcess()
    try translatingErrno { () throws(Errno) in
      try state.withLock { (state) throws(Errno) in
        for key in state.charges.setLimit(limit) { try state.resume(key) }
        // A thread may sleep, and no descriptor shows what goes on now.
        if state.hasStagedMail { try state.ringBell() }
      }
    }
  }

  /// From now on every send to this port fails with a dead name; what was sent before can be received, and owed replies
  /// given. Copies that are still under way come to the same end.
  func cutOff() throws(PortError) {
    try checkProcess()
    try translatingErrno { () throws(Errno) in
      try state.withLock { (state) throws(Errno) in
        state.isShuttingDown = true
        for key in state.wires.keys { state.wires[key]?.end.socket.shutDownReading() }
        // Wires of accounts without room are read now: they end, and there is no further one to pay for.
        for key in state.charges.setLimit(.max) { try state.resume(key) }
      }
    }
  }

  func close() {
    if mark.isCurrent { state.withLock { $0.closeAll() } }
  }

  // MARK: Notifications

  func armNoSenders(sync: Int) throws(PortError) {
    try checkProcess()
    try translatingErrno { () throws(Errno) in
      try state.withLock { (state) throws(Errno) in
        try state.armNoSenders(sync: sync)
      }
    }
    state.notifyAll()
  }

  func watchForDeadName(_ descriptor: CInt) throws(PortError) -> DeadNameWatch {
    try checkProcess()
    let number = Self.nextRequest.add(1, ordering: .relaxed).oldValue
    let request = DeadNameRequest(number: number)
    try translatingErrno { () throws(Errno) in
      try state.withLock { (state) throws(Errno) in try state.watch(descriptor, request) }
    }
    return DeadNameWatch(self, request)
  }

  func cancelWatch(_ request: DeadNameRequest, of descriptor: CInt) {
    if !mark.isCurrent { return }
    state.withLock { $0.unwatch(descriptor, request) }
  }
}

/// One poller for the lock's holder and for the thread that sleeps without the lock.
final class SharedPoller: Sendable {
  let poller: Poller

  init(_ poller: consuming Poller) { self.poller = poller }
}
