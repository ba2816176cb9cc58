import LinuxSystem
import Synchronization

extension MailboxEnd {
  /// Gives each reply that is still owed a wire of its own, before this end goes to another process.
  func promoteOwed() throws(Errno) {
    try replies.withLock { (replies) throws(Errno) in
      while let sequence = replies.owed.last {
        replies.promoted[sequence] = try makeWireForMove(sequence, &replies)
        replies.owed.removeLast()
      }
    }
  }

  private func makeWireForMove(_ sequence: UInt64, _ replies: inout Replies) throws(Errno) -> OnceEnd {
    let pair = try PacketSocket.pair()
    do {
      try announce(pair.second, for: sequence, &replies)
    } catch {
      // A dead caller gets no reply; whoever has the right learns it when it answers.
      if !error.isDeadPeer { throw error }
    }
    return OnceEnd(pair.first)
  }

  /// The wire is another mailbox's. Reply rights that still refer to this end must not keep the wire open.
  func letGo(leaving dead: borrowing PacketSocket) {
    let isReferredTo = replies.withLock { !$0.promoted.isEmpty }
    if isReferredTo { try? socket.descriptor.replace(with: dead.descriptor) }
  }
}
