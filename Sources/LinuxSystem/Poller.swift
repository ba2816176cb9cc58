import CPortShims

/// What may happen to a descriptor in a ``Poller``.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let readable = Readiness(rawValue: cps_epoll_in)
  package static let writable = Readiness(rawValue: cps_epoll_out)
  /// Always reported, also when not asked for.
  package static let hangUp = Readiness(rawValue: cps_epoll_hup)
  package static let peerClosed = Readiness(rawValue: cps_epoll_read_hup)
  /// Report changes only: what was there before the descriptor was added is reported once.
  package static let edgeTriggered = Readiness(rawValue: cps_epoll_edge)
  /// Disarm after one report.
  package static let oneShot = Readiness(rawValue: cps_epoll_one_shot)
}

/// An epoll set with keys chosen by the caller.
package struct Poller: ~Copyable, Sendable {
  package static let batch = 64

  /// Readable while a member is ready: a poller can itself be a member of another one.
  package let descriptor: Descriptor

  package init() throws(Errno) {
    descriptor = Descriptor(owning: CInt(try Syscall.check("epoll_create1") { Int(cps_epoll_create()) }))
  }

  package borrowing func add(_ number: CInt, _ readiness: Readiness, key: UInt64) throws(Errno) {
    try set(cps_epoll_add, number, readiness, key)
  }

  package borrowing func modify(_ number: CInt, _ readiness: Readiness, key: UInt64) throws(Errno) {
    try set(cps_epoll_modify, number, readiness, key)
  }

  /// Harmless for a descriptor that is not (or no longer) a member.
  package borrowing func remove(_ number: CInt) {
    _ = cps_epoll_set(descriptor.number, cps_epoll_delete, number, 0, 0)
  }

  private borrowing func set(_ operation: CInt, _ number: CInt, _ readiness: Readiness, _ key: UInt64) throws(Errno) {
    let epoll = descriptor.number
    try Syscall.check("epoll_ctl") { Int(cps_epoll_set(epoll, operation, number, readiness.rawValue, key)) }
  }

  /// Waits until the deadline for at least one event and puts what is ready into `events`.
  /// An interrupted wait goes on with what is left of the time.
  package borrowing func wait(into events: inout ReadyEvents, until deadline: Deadline) throws(Errno) {
    let epoll = descriptor.number
    events.count = 0
    events.count = try Syscall.check("epoll_wait") {
      Int(
        unsafe cps_epoll_wait(
          epoll, events.keys, events.states, CInt(Self.batch), deadline.remainingNanoseconds))
    }
  }
}

/// The result of one wait, in the order in which the kernel reports readiness. Reused from wait to wait.
@safe package struct ReadyEvents: ~Copyable {
  fileprivate let keys = UnsafeMutablePointer<UInt64>.allocate(capacity: Poller.batch)
  fileprivate let states = UnsafeMutablePointer<UInt32>.allocate(capacity: Poller.batch)
  package fileprivate(set) var count = 0

  package init() {}

  deinit {
    unsafe keys.deallocate()
    unsafe states.deallocate()
  }

  package func key(_ index: Int) -> UInt64 {
    precondition(index >= 0 && index < count)
    return unsafe keys[index]
  }

  package func readiness(_ index: Int) -> Readiness {
    precondition(index >= 0 && index < count)
    return Readiness(rawValue: unsafe states[index])
  }
}

/// Waits for one descriptor. Empty when the deadline passed first.
package func waitForReadiness(of number: CInt, _ wanted: PollWish, until deadline: Deadline) throws(Errno) -> Bool {
  try Syscall.check("ppoll") { Int(cps_poll_one(number, wanted.rawValue, deadline.remainingNanoseconds)) } != 0
}

package enum PollWish: Int16, Sendable {
  case readable = 1  // POLLIN
  case writable = 4  // POLLOUT
}

/// True when the other end of a socket is closed; never waits.
package func hasHungUp(of number: CInt) throws(Errno) -> Bool {
  let hangUp = 0x10 | 0x8 | 0x2000  // POLLHUP, POLLERR, POLLRDHUP
  return try Syscall.check("ppoll") { Int(cps_poll_one(number, 0x2000, 0)) } & hangUp != 0
}
