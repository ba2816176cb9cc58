import LinuxSystem
import Synchronization

/// The owner's end of a wire. It outlives its port while reply rights of its calls are out: before the port goes, each
/// of them becomes a wire of its own.
final class MailboxEnd: Sendable {
  struct Replies: ~Copyable {
    var owed: [UInt64] = []
    var promoted: [UInt64: OnceEnd] = [:]
    /// What was sent to a caller since a reply got a wire of its own; nil once the caller has read it all.
    var unread: QueueLedger?
    /// The socket has the largest buffer that replies may fill.
    var hasGrown = false

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

  /// Never waits for the caller. The answer leaves under the lock: a port that goes at the same moment either finds it
  /// sent or gives it a wire of its own, and the caller may use the freed place for its next call at once.
  ///
  /// - Parameter timeout: for rights in the message that must be copied. Others need not know the time.
  func sendReply(_ sequence: UInt64, _ message: inout Message, timeout: Duration?) throws(PortError) {
    if !mark.isCurrent { throw .deadName }
    let deadline = Deadline(after: message.hasRights ? timeout : .zero)
    guard let once = try leaveInWire(sequence, &message, until: deadline) else { return }
    // Nothing else was ever sent there, so there is room.
    try message.transmit(on: once.socket, kind: .message, until: deadline)
    replies.withLock { _ = $0.settle(sequence) }
  }

  /// Returns the reply's own wire when it has one, or gets one because this wire has no room for it. Else it is sent.
  private func leaveInWire(
    _ sequence: UInt64, _ message: inout Message, until deadline: Deadline
  ) throws(PortError) -> OnceEnd? {
    let reply = try message.prepare(for: .reply, sequence: sequence, until: deadline)
    return try replies.withLock { (replies) throws(PortError) -> OnceEnd? in
      if let once = replies.promoted(sequence) { return once }
      var isSent = try message.attempt(reply, on: socket)
      if !isSent, try translatingErrno({ () throws(Errno) in try growForReplies(&replies) }) {
        isSent = try message.attempt(reply, on: socket)
      }
      if isSent {
        if replies.unread != nil { note(bytes: message.packetSize(reply), isReply: true, &replies) }
        replies.settle(sequence)
        return nil
      }
      let once = try translatingErrno { () throws(Errno) in try makePromoted(sequence, &replies) }
      replies.settle(sequence)
      replies.promoted[sequence] = once
      return once
    }
  }

  /// Tells the caller that no reply will come.
  func dropReply(_ sequence: UInt64) {
    if !mark.isCurrent { return }
    let frame = FrameHeader(kind: .replyDropped, sequence: sequence).encoded()
    replies.withLock { replies in
      if replies.settle(sequence) { return }
      // A caller that leaves not even room for this loses its wire; a dead one needs no word.
      let isSent = (try? sendControl(frame, isReply: true, &replies)) ?? true
      if !isSent { socket.shutDown() }
    }
  }

  /// Gives the reply a wire of its own and tells the caller. It may have one already, since its port went.
  func promote(_ sequence: UInt64) throws(PortError) -> OnceEnd {
    if !mark.isCurrent { throw .deadName }
    return try translatingErrno { () throws(Errno) -> OnceEnd in
      try replies.withLock { (replies) throws(Errno) -> OnceEnd in
        let once: OnceEnd
        if let promoted = replies.promoted(sequence) {
          once = promoted
        } else {
          once = try makePromoted(sequence, &replies)
        }
        replies.settle(sequence)
        return once
      }
    }
  }

  /// Ends the wire: queued mail is destroyed, the holder sees a dead name, owed replies can still be given.
  func close() {
    replies.withLock { replies in
      for sequence in replies.owed {
        guard let once = try? makePromoted(sequence, &replies) else { continue }
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

  /// Tells the holder how many messages may wait. False when it has so much unread that the word must wait: what is
  /// told later stands for all that was not told. The room kept for other words is not used up.
  func announce(limit: Int) -> Bool {
    let frame = FrameHeader(kind: .limit, sequence: UInt64(limit)).encoded()
    let number = socket.descriptor.number
    return replies.withLock { replies in
      guard (try? waitForReadiness(of: number, .writable, until: Deadline(after: .zero))) ?? true else { return false }
      // A dead holder needs no word.
      let isSent = (try? socket.send(head: frame, tail: nil, 0..<0, descriptors: [])) ?? true
      if isSent { note(bytes: frame.count, isReply: false, &replies) }
      return isSent
    }
  }

  /// Tells the holder that it may send so many copies more. False when it does not read what it is told.
  func giveCopyCredit(_ count: Int) -> Bool {
    // A dead holder needs no credit.
    (try? tell(FrameHeader(kind: .copyCredit, sequence: UInt64(count)))) ?? true
  }

  /// Sends a control frame. False when there is not even the room that is kept for these.
  func tell(_ header: FrameHeader) throws(Errno) -> Bool {
    try replies.withLock { (replies) throws(Errno) in
      try sendControl(header.encoded(), isReply: false, &replies)
    }
  }

  // MARK: Under the lock

  private func makePromoted(_ sequence: UInt64, _ replies: inout Replies) throws(Errno) -> OnceEnd {
    let pair = try PacketSocket.pair()
    try announce(pair.second, for: sequence, &replies)
    return OnceEnd(pair.first)
  }

  /// Tells the caller where its reply will come from. One that leaves no room for this, or has more replies unread than
  /// an honest one can have calls out, loses its wire: each of these costs this user a descriptor in flight.
  func announce(
    _ callersEnd: borrowing PacketSocket, for sequence: UInt64, _ replies: inout Replies
  ) throws(Errno) {
    if replies.unread == nil {
      replies.unread = QueueLedger([QueueLedger.Packet(charge: try socket.unreadByPeer(), messages: 0)])
    }
    let frame = FrameHeader(kind: .adoptReply, sequence: sequence).encoded()
    let callersNumber = callersEnd.descriptor.number
    guard mayHaveMore(&replies), try sendControl(frame, [callersNumber], isReply: true, &replies) else {
      socket.shutDown()
      throw .brokenPipe
    }
  }

  private func sendControl(
    _ frame: [UInt8], _ descriptors: [CInt] = [], isReply: Bool, _ replies: inout Replies
  ) throws(Errno) -> Bool {
    guard try socket.sendControl(frame, descriptors: descriptors) else { return false }
    note(bytes: frame.count, isReply: isReply, &replies)
    return true
  }

  private func note(bytes: Int, isReply: Bool, _ replies: inout Replies) {
    if replies.unread == nil { return }
    let packet = QueueLedger.Packet(charge: PacketCharges.charge(of: bytes), messages: isReply ? 1 : 0)
    replies.unread?.append(packet)
    if replies.unread?.outstanding.count ?? 0 > 2 * Limits.callsPerWire { settleUnread(&replies) }
  }

  private func mayHaveMore(_ replies: inout Replies) -> Bool {
    if replies.unread?.unread ?? 0 >= Limits.callsPerWire { settleUnread(&replies) }
    return replies.unread?.unread ?? 0 < Limits.callsPerWire
  }

  private func settleUnread(_ replies: inout Replies) {
    guard let bytes = try? socket.unreadByPeer() else { return }
    replies.unread?.settle(unreadBytes: bytes)
  }

  /// Makes room for as many replies as the system allows beside the room for control frames. False when that was done.
  private func growForReplies(_ replies: inout Replies) throws(Errno) -> Bool {
    if replies.hasGrown { return false }
    replies.hasGrown = true
    let before = try socket.sendBuffer()
    try socket.setSendBuffer(bytes: Limits.replySendBuffer + Limits.controlSendBuffer)
    let wanted = max(before, min(Limits.replySendBuffer, try socket.sendBuffer() / 2))
    try socket.setSendBuffer(bytes: wanted)
    return wanted > before
  }

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
