import LinuxSystem

/// Who takes mail, and who must therefore hear of what is left.
enum Taker {
  /// The holder of the receive right.
  case owner
  /// A set, through its membership of this number.
  case set(UInt64)
  /// Nobody takes: something was put into the port from outside.
  case stranger
}

/// What a thread in `receive` does next.
enum ReceiveTurn: ~Copyable {
  case message(Message)
  /// Sleep in the kernel for all who wait, but look up after the pause.
  case lead(Waiter, ReadyEvents, pause: Duration?)
  /// Mail is in hand, behind more of the library's own than one look deals with.
  case again(Waiter)
  case follow(Waiter)
}

extension MailboxState {
  // MARK: The line

  mutating func beginReceive() throws(Errno) -> ReceiveTurn {
    // Who finds mail at once needs no bell.
    if waiters.isEmpty, !(bell.exists && isEmptyHanded), let message = try takeReady(lookAround: !bell.exists) {
      settleBell(.owner)
      return .message(message)
    }
    let waiter = spareWaiter.take() ?? Waiter()
    waiters.append(waiter)
    return nextTurn(of: waiter)
  }

  private mutating func nextTurn(of waiter: Waiter) -> ReceiveTurn {
    if hasStagedMail { return .again(waiter) }
    guard leader == nil, let events = sleepersEvents.take() else { return .follow(waiter) }
    leader = waiter
    // In a shortage it sleeps without one, and looks up now and then: the last descriptors are for rights in mail.
    if !bell.exists && DescriptorReserve.hasRoom(shared.poller.descriptor) { try? bell.install(in: shared.poller) }
    beginPoll()
    return .lead(waiter, events, pause: pauseForLeader())
  }

  func mustFollow(_ waiter: Waiter) -> Bool { leader != nil && waiter.isWaiting }

  /// Returns the leader's message, where it need not be put in hand first.
  mutating func endLead(_ events: consuming ReadyEvents) -> Message? {
    let isNext = waiters.count == 1 && waiters[0] === leader
    leader = nil
    leaderIsCalled = false
    var message: Message?
    if isNext, events.count == 1, isEmptyHanded, let only = wires.only, events.key(0) == only {
      message = takeAtOnce(only)
    } else {
      finishPoll(events)
    }
    sleepersEvents = consume events
    return message
  }

  /// The end of a sleep that brought this waiter its message.
  mutating func end(_ waiter: Waiter, with message: consuming Message) -> ReceiveTurn {
    leaveLine(waiter)
    spareWaiter = waiter
    settleBell(.owner)
    return .message(message)
  }

  /// After a sleep. Throws for a waiter that leaves without a message; it stands in no line then.
  mutating func resume(_ waiter: Waiter, isLate: Bool, failure: Errno?) throws(PortError) -> ReceiveTurn {
    if let message = waiter.take() { return end(waiter, with: message) }
    if waiter.isTurnedAway {
      settleBell(.stranger)
      throw .portChanged
    }
    do {
      try serveWaiters(lookAround: isLate)
    } catch {
      leave(waiter)
      throw PortError(error)
    }
    if let message = waiter.take() { return end(waiter, with: message) }
    if let failure {
      leave(waiter)
      throw PortError(failure)
    }
    if isLate {
      leave(waiter)
      throw .timedOut
    }
    return nextTurn(of: waiter)
  }

  private mutating func leaveLine(_ waiter: Waiter) {
    if waiters.last === waiter { waiters.removeLast() } else { waiters.removeAll { $0 === waiter } }
  }

  private mutating func leave(_ waiter: Waiter) {
    leaveLine(waiter)
    settleBell(.owner)
  }

  /// Gives mail to those who wait, first come first served.
  mutating func serveWaiters(lookAround: Bool) throws(Errno) {
    while !waiters.isEmpty, let message = try takeReady(lookAround: lookAround) {
      let first = waiters.remove(at: 0)
      first.give(message)
      if let gate = first.gate { errands.append(.open(gate)) }
      if first === leader { leaderIsCalled = true }
    }
  }

  /// Those who wait return with an error, and get no message that comes later.
  mutating func turnWaitersAway() {
    for waiter in waiters {
      waiter.turnAway()
      if let gate = waiter.gate { errands.append(.open(gate)) }
    }
    waiters.removeAll()
    leaderIsCalled = leader != nil
  }

  // MARK: The bell

  /// To be called whenever mail may have come in hand or gone: those who watch descriptors must see what is left.
  mutating func settleBell(_ taker: Taker) {
    if !hasStagedMail { mustShow = false } else if isUnseen(after: taker) { mustShow = true }
    bell.set(leaderIsCalled || mustShow || (leader != nil && hasStagedMail))
  }

  /// A taker knows what it left. Others know what the kernel shows.
  private func isUnseen(after taker: Taker) -> Bool {
    switch taker {
    case .owner: !memberships.isEmpty
    case .set(let key): isWatched || memberships.contains { $0.key != key }
    case .stranger: true
    }
  }
}
