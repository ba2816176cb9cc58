import LinuxSystem
import Synchronization

/// The owner's end of a wire. It outlives its port while reply rights of its calls are out: before the port goes, each
/// of them becomes a wire of its own.
final class MailboxEnd: Sendable {
  struct Replies: ~Copyable {
    var owed: [UInt64] = []
    var promoted: [UInt64: OnceEnd] = [:]

    /// Nearly always there is none, and no number need be hashed.
    func promoted(_ sequence: UInt64) -> OnceEnd? { promoted.isEmpty ? nil : promoted[sequence] }

    /// True when the reply had a wire of its own.
    @discardableResult
    mutating func settle(_ sequence: UInt64) -> Bool {
      if let index = owed.firstIndex(of: sequence) { owed.remove(at: index) }
      return !promoted.isEmpty && promoted.removeValue(forKey: sequence) != nil
    }
  }

  let socket: PacketSocket
  let mark = ProcessMark()
  /// A wire for one message: it is not a sender in the sense of no-senders.
  let isSendOnce: Bool
  /// The kernel's number of the other end, as its maker said; 0 where nobody did. Only good for telling a user that a
  /// message would go round in a circle.
  let peerCookie: UInt64
  let replies = Mutex(Replies())

  init(_ socket: consuming PacketSocket, isSendOnce: Bool = false, peerCookie: UInt64 = 0) {
    self.socket = socket
    self.isSendOnce = isSendOnce
    self.peerCookie = peerCookie
  }

  /// Notes a call that was received. False when the caller goes over the limit that its own library keeps.
  func owe(_ sequence: UInt64) -> Bool {
    replies.withLock { replies in
      guard replies.owed.count < Limits.callsPerWire else { return false }
      replies.owed.append(sequence)
      return true
    }
  }

  /// The answer leaves under the lock: a port that goes at the same moment either finds it sent or gives it a wire of
  /// its own, and the caller may use the freed place for its next call at once.
  func sendReply(_ sequence: UInt64, _ message: inout Message, timeout: Duration?) throws(PortError) {
    if !mark.isCurrent { throw .deadName }
    // Nearly always it leaves at once, and nobody needs to know the time.
    if !message.hasRights {
      let plain = try message.prepare(for: .reply, sequence: sequence, until: Deadline(after: .zero))
      if try attempt(sequence, message, plain) { return }
    }
    try sendReply(sequence, &message, until: Deadline(after: timeout))
  }

  /// False when there is no room, or the reply has a wire of its own by now.
  private func attempt(
    _ sequence: UInt64, _ message: borrowing Message, _ reply: borrowing Message.Outgoing
  ) throws(PortError) -> Bool {
    try replies.withLock { (replies) throws(PortError) -> Bool in
      if replies.promoted(sequence) != nil { return false }
      guard try message.attempt(reply, on: socket) else { return false }
      replies.settle(sequence)
      return true
    }
  }

  private func sendReply(_ sequence: UInt64, _ message: inout Message, until deadline: Deadline) throws(PortError) {
    let reply = try message.prepare(for: .reply, sequence: sequence, until: deadline)
    var hasGrown = false
    while true {
      let once = replies.withLock { $0.promoted(sequence) }
      if let once {
        try message.transmit(on: once.socket, kind: .message, until: deadline)
        settle(sequence)
        return
      }
      if try attempt(sequence, message, reply) { return }
      if hasGrown {
        try waitForRoom(on: socket, until: deadline)
      } else {
        // All replies that are owed must fit, or a caller with many calls would lose one that it waits for.
        hasGrown = true
        try translatingErrno { () throws(Errno) in try socket.setSendBuffer(bytes: Limits.replySendBuffer) }
      }
    }
  }

  /// Tells the caller that no reply will come.
  func dropReply(_ sequence: UInt64) {
    if !mark.isCurrent { return }
    let wasPromoted = replies.withLock { $0.settle(sequence) }
    if wasPromoted { return }
    let frame = FrameHeader(kind: .replyDropped, sequence: sequence).encoded()
    // A caller that leaves not even room for this loses its wire; a dead one needs no word.
    let sent = (try? socket.sendControl(frame)) ?? true
    if !sent { socket.shutDown() }
  }

  /// Gives the reply a wire of its own and tells the caller. It may have one already, since its port went.
  func promote(_ sequence: UInt64) throws(PortError) -> OnceEnd {
    if !mark.isCurrent { throw .deadName }
    return try translatingErrno { () throws(Errno) -> OnceEnd in
      try replies.withLock { (replies) throws(Errno) -> OnceEnd in
        let once: OnceEnd
        if let promoted = replies.promoted(sequence) { once = promoted } else { once = try makePromoted(sequence) }
        replies.settle(sequence)
        return once
      }
    }
  }

  /// Ends the wire: queued mail is destroyed, the holder sees a dead name, owed replies can still be given.
  func close() {
    replies.withLock { replies in
      for sequence in replies.owed {
        guard let once = try? makePromoted(sequence) else { continue }
        replies.promoted[sequence] = once
      }
    }
    socket.shutDown()
    discardQueue()
  }

  /// To be called once for a wire that another one brought. False when there is no room for it, which a fresh pair has.
  func confirmAdoption(limit: Int) throws(Errno) -> Bool {
    do {
      let frame = FrameHeader(kind: .adopted, sequence: UInt64(limit)).encoded()
      return try socket.send(head: frame, tail: nil, 0..<0, descriptors: [])
    } catch {
      // Its holder is gone; what it sent before is still to be read.
      if error.isDeadPeer { return true }
      throw error
    }
  }

  /// Tells the holder how many messages may wait. One that reads nothing at all goes without.
  func announce(limit: Int) {
    _ = try? socket.sendControl(FrameHeader(kind: .limit, sequence: UInt64(limit)).encoded())
  }

  /// Tells the holder that it may send so many copies more. False when it does not read what it is told.
  func giveCopyCredit(_ count: Int) -> Bool {
    let frame = FrameHeader(kind: .copyCredit, sequence: UInt64(count)).encoded()
    // A dead holder needs no credit.
    return (try? socket.sendControl(frame)) ?? true
  }

  private func makePromoted(_ sequence: UInt64) throws(Errno) -> OnceEnd {
    let pair = try PacketSocket.pair()
    guard try announce(pair.second, for: sequence) else { throw .wouldBlock }
    return OnceEnd(pair.first)
  }

  /// Tells the caller where its reply will come from. False when there is no room.
  func announce(_ callersEnd: borrowing PacketSocket, for sequence: UInt64) throws(Errno) -> Bool {
    let frame = FrameHeader(kind: .adoptReply, sequence: sequence).encoded()
    return try socket.sendControl(frame, descriptors: [callersEnd.descriptor.number])
  }

  private func settle(_ sequence: UInt64) { replies.withLock { _ = $0.settle(sequence) } }

  /// Rights in mail that nobody will read must die now, not when the last reply right lets go of this end.
  private func discardQueue() {
    var receiver = PacketReceiver()
    while case .packet = (try? receiver.receive(from: socket)) ?? .end {}
  }
}

extension PacketSocket {
  /// Sends a control frame, which no queue limit holds up: the sender makes room for it, and takes the room back so
  /// that mail does not fill it. False when there is none at all.
  borrowing func sendControl(_ frame: [UInt8], descriptors: [CInt] = []) throws(Errno) -> Bool {
    if try send(head: frame, tail: nil, 0..<0, descriptors: descriptors) { return true }
    let usual = try sendBuffer()
    try setSendBuffer(bytes: usual + Limits.controlSendBuffer)
    let result = Result { () throws(Errno) in
      try send(head: frame, tail: nil, 0..<0, descriptors: descriptors)
    }
    try setSendBuffer(bytes: usual)
    return try result.get()
  }
}
