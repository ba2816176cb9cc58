import LinuxSystem
import Synchronization

/// What stands behind a port set: one poller over the pollers of its members.
final class SetCore: Sendable {
  private struct State: ~Copyable {
    var members: [UInt64: Mailbox] = [:]
    var turns = TurnOrder()
    var bell = Doorbell()
    var sleepers = 0
    /// Somebody else than threads in `receive` looks at the descriptor.
    var isWatched = false
    var isClosed = false
    var events = ReadyEvents()
    /// Out on loan while a thread sleeps in the poll.
    var sleepersEvents: ReadyEvents?

    mutating func settleBell() { bell.set(isClosed || (turns.hasWork && (sleepers > 0 || isWatched))) }

    mutating func note(_ ready: borrowing ReadyEvents) {
      for index in 0..<ready.count where ready.key(index) != Doorbell.key { noteMember(ready.key(index)) }
    }

    mutating func noteEvents() -> Bool {
      for index in 0..<events.count where events.key(index) != Doorbell.key { noteMember(events.key(index)) }
      return events.count == Poller.batch
    }

    /// Members that have left may still be told of.
    mutating func noteMember(_ key: UInt64) {
      if members[key] != nil { turns.note(key) }
    }
  }

  private let mark = ProcessMark()
  private let shared: SharedPoller
  private let state: Monitor<State>

  init() throws(PortError) {
    let poller = try translatingErrno { () throws(Errno) -> Poller in try Poller() }
    var initial = State()
    // At once, so that destroying the set wakes everybody without need of a descriptor.
    try translatingErrno { () throws(Errno) in try initial.bell.install(in: poller) }
    shared = SharedPoller(poller)
    state = Monitor(initial)
  }

  var pollDescriptor: CInt {
    if !mark.isCurrent { return shared.poller.descriptor.number }
    state.withLock { state in
      state.isWatched = true
      state.settleBell()
    }
    return shared.poller.descriptor.number
  }

  var hasStagedMail: Bool { mark.isCurrent && state.withLock { $0.turns.hasWork } }
  var isBeingPolled: Bool { state.withLock { $0.sleepers > 0 } }
  var members: [PortID] { !mark.isCurrent ? [] : state.withLock { $0.members.values.map(\.id) } }

  // MARK: Members

  /// To be called with the lock of all changes.
  func admit(_ mailbox: Mailbox, _ key: UInt64) throws(PortError) {
    try state.withLock { (state) throws(PortError) in
      if state.isClosed { throw .portChanged }
      let number = mailbox.memberDescriptor
      try translatingErrno { () throws(Errno) in try shared.poller.add(number, .readable, key: key) }
      state.members[key] = mailbox
    }
  }

  /// Mail that was in hand before the port joined shows in no descriptor.
  func noteMail(_ key: UInt64) {
    state.withLock { state in
      state.noteMember(key)
      state.settleBell()
    }
  }

  /// To be called with the lock of all changes.
  func forget(_ key: UInt64) {
    state.withLock { state in
      guard let mailbox = state.members.removeValue(forKey: key) else { return }
      shared.poller.remove(mailbox.memberDescriptor)
      state.turns.remove(key)
      state.settleBell()
    }
  }

  /// Members stay as they are, with their mail. Threads that wait return with an error.
  func close() {
    // In a child made by `fork` the locks may be held for ever.
    if !mark.isCurrent { return }
    Membership.changes.withLock { _ in
      let members = state.withLock { state in
        state.isClosed = true
        let members = state.members
        for (key, mailbox) in members {
          shared.poller.remove(mailbox.memberDescriptor)
          state.turns.remove(key)
        }
        state.members.removeAll()
        state.settleBell()
        return members
      }
      for mailbox in members.values { _ = mailbox.leave(self) }
    }
  }

  // MARK: Receiving

  func receive(until deadline: Deadline) throws(PortError) -> Message {
    while true {
      if let message = try receiveIfReady() { return message }
      try sleep(until: deadline)
      if deadline.hasPassed {
        if let late = try receiveIfReady() { return late }
        throw .timedOut
      }
    }
  }

  /// Never waits.
  func receiveIfReady() throws(PortError) -> Message? {
    if !mark.isCurrent { throw .deadName }
    var mayPoll = true
    var unfinished: [UInt64] = []
    // Mail that lies behind more of the library's own than one look deals with.
    defer { for key in unfinished { noteMail(key) } }
    while let (mailbox, key) = try nextMember(&mayPoll) {
      var hasMore = false
      let message = try mailbox.receiveIfReady(membership: key, hasMore: &hasMore)
      if hasMore { unfinished.append(key) }
      if let message { return message }
    }
    return nil
  }

  private func nextMember(_ mayPoll: inout Bool) throws(PortError) -> (Mailbox, UInt64)? {
    try state.withLock { (state) throws(PortError) -> (Mailbox, UInt64)? in
      if state.isClosed { throw .portChanged }
      defer { state.settleBell() }
      while true {
        if let key = state.turns.next() {
          guard let mailbox = state.members[key] else { continue }
          return (mailbox, key)
        }
        guard mayPoll || state.turns.hasWork else { return nil }
        if mayPoll { try poll(&state) }
        mayPoll = false
        state.turns.beginRound()
        if state.turns.isRoundOver { return nil }
      }
    }
  }

  /// The kernel shows what it has in batches, each member once before any one comes again.
  private func poll(_ state: inout State) throws(PortError) {
    var batches = state.members.count / Poller.batch + 1
    var isFull = true
    while isFull && batches > 0 {
      try translatingErrno { () throws(Errno) in
        try shared.poller.wait(into: &state.events, until: Deadline(after: .zero))
      }
      isFull = state.noteEvents()
      batches -= 1
    }
  }

  private func sleep(until deadline: Deadline) throws(PortError) {
    var isNeeded = false
    var loan = try state.withLock { (state) throws(PortError) -> ReadyEvents? in
      if state.isClosed { throw .portChanged }
      // Another thread put something back meanwhile.
      if state.turns.hasWork { return nil }
      isNeeded = true
      state.sleepers += 1
      return state.sleepersEvents.take()
    }
    if !isNeeded { return }
    var events = loan.take() ?? ReadyEvents()
    var failure: Errno?
    do { try shared.poller.wait(into: &events, until: deadline) } catch { failure = error }
    var returned: ReadyEvents? = consume events
    state.withLock { state in
      state.sleepers -= 1
      if let ready = returned.take() {
        state.note(ready)
        state.sleepersEvents = consume ready
      }
      state.settleBell()
    }
    if let failure { throw PortError(failure) }
  }
}
