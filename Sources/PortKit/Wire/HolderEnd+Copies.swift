import LinuxSystem
import Synchronization

/// A copy is a new pair, whose mailbox end travels down this wire. No queue limit holds it up, and it works while the
/// owner is busy; but only so many may be under way, since what lies in a wire counts against all of this user.
extension HolderEnd {
  func copy(until deadline: Deadline) throws(PortError) -> HolderEnd {
    try checkProcess()
    // The copy starts with the limit that the port last announced.
    readNews()
    try takeCredit(until: deadline)
    do throws(PortError) {
      return try sendCopy(until: deadline)
    } catch {
      addCopyCredit(1)
      throw error
    }
  }

  /// The owner dealt with so many copies.
  func addCopyCredit(_ count: UInt64) {
    queue.withLock { $0.addCopyCredit(count) }
    queue.notifyAll()
    creditRoom.withLock { $0?.poke() }
    creditWait.withLock { $0 }?.poke()
  }

  var hasCopyCredit: Bool { queue.withLock { $0.copyCredit > 0 } || isDeadName }

  /// Credit and, beyond doubt, room. A copy of a dead name fails at once.
  var mayCopyNow: Bool {
    let number = socket.descriptor.number
    let hasRoom = (try? waitForReadiness(of: number, .writable, until: Deadline(after: .zero))) ?? true
    return hasRoom && hasCopyCredit
  }

  private func sendCopy(until deadline: Deadline) throws(PortError) -> HolderEnd {
    try translatingErrno { () throws(Errno) -> HolderEnd in
      let pair = try PacketSocket.pair()
      let mailboxEnd = pair.second
      try mailboxEnd.enableWitness()
      let number = mailboxEnd.descriptor.number
      while true {
        let isLast = deadline.hasPassed
        if let limit = try sendAdopt(number) {
          return HolderEnd(pair.first, queueLimit: limit, peerCookie: try mailboxEnd.cookie())
        }
        if isLast { throw .wouldBlock }
        _ = try waitForReadiness(of: socket.descriptor.number, .writable, until: deadline)
      }
    }
  }

  /// The limit with which the copy begins; nil when the wire has no room.
  private func sendAdopt(_ number: CInt) throws(Errno) -> Int? {
    let frame = FrameHeader(kind: .adopt).encoded()
    return try queue.withLock { (queue) throws(Errno) -> Int? in
      guard try socket.sendControl(frame, descriptors: [number]) else { return nil }
      queue.noteUncounted(bytes: frame.count) { try? socket.unreadByPeer() }
      return queue.limit
    }
  }

  private func takeCredit(until deadline: Deadline) throws(PortError) {
    while true {
      switch queue.withLock({ $0.takeCopyCredit(mayWait: !deadline.hasPassed) }) {
      case .taken: return
      case .refused: throw isDeadName ? .deadName : .timedOut
      case .lead: try leadToCredit(until: deadline)
      case .follow:
        if !queue.wait(until: deadline, while: { $0.mustAwaitCredit }) { throw .timedOut }
      }
    }
  }

  /// Watches the kernel for all who wait for credit.
  private func leadToCredit(until deadline: Deadline) throws(PortError) {
    defer {
      queue.withLock { $0.stopAwaitingCredit() }
      queue.notifyAll()
    }
    let watch = try watch(creditRoom)
    readNews()
    while queue.withLock({ $0.copyCredit == 0 }) {
      if isDeadName { throw .deadName }
      let hasNews = try translatingErrno { () throws(Errno) in try watch.wait(until: deadline) }
      if !hasNews { throw .timedOut }
      readNews()
    }
  }
}
