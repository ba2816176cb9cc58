import LinuxSystem
import Synchronization

/// The owner's end of a wire. It outlives its port while reply rights of its calls are out: before the port goes, each
/// of them becomes a wire of its own.
final class MailboxEnd: Sendable {
  private struct Replies: ~Copyable {
    var owed: [UInt64] = []
    var promoted: [UInt64: OnceEnd] = [:]

    /// Nearly always there is none, and no number need be hashed.
    func promoted(_ sequence: UInt64) -> OnceEnd? { promoted.isEmpty ? nil : promoted[sequence] }
  }

  let socket: PacketSocket
  /// A wire for one message: it is not a sender in the sense of no-senders.
  let isSendOnce: Bool
  private let replies = Mutex(Replies())

  init(_ socket: consuming PacketSocket, isSendOnce: Bool = false) {
    self.socket = socket
    self.isSendOnce = isSendOnce
  }

  /// Notes a call that was received. False when the caller goes over the limit that its own library keeps.
  func owe(_ sequence: UInt64) -> Bool {
    replies.withLock { replies in
      guard replies.owed.count < Limits.callsPerWire else { return false }
      replies.owed.append(sequence)
      return true
    }
  }

  func sendReply(_ sequence: UInt64, _ message: inout Message, until deadline: Deadline) throws(PortError) {
    while true {
      if let once = replies.withLock({ $0.promoted(sequence) }) {
        try message.transmit(on: once.socket, kind: .message, until: deadline)
        settle(sequence)
        return
      }
      do {
        try message.transmit(on: socket, kind: .reply, sequence: sequence, until: deadline)
        settle(sequence)
        return
      } catch {
        // The port may have gone while this reply waited for room; then there is a wire for it.
        if error == .deadName, replies.withLock({ $0.promoted(sequence) }) != nil { continue }
        throw error
      }
    }
  }

  /// Tells the caller that no reply will come.
  func dropReply(_ sequence: UInt64) {
    let wasPromoted = replies.withLock { $0.promoted(sequence) } != nil
    settle(sequence)
    if wasPromoted { return }
    let frame = FrameHeader(kind: .replyDropped, sequence: sequence).encoded()
    // A caller that leaves not even room for this loses its wire; a dead one needs no word.
    let sent = (try? socket.sendControl(frame)) ?? true
    if !sent { socket.shutDown() }
  }

  /// Gives the reply a wire of its own and tells the caller.
  func promote(_ sequence: UInt64) throws(PortError) -> OnceEnd {
    let once = try translatingErrno { () throws(Errno) -> OnceEnd in try makePromoted(sequence) }
    settle(sequence)
    return once
  }

  /// Ends the wire: queued mail is destroyed, the holder sees a dead name, owed replies can still be given.
  func close() {
    for sequence in replies.withLock({ $0.owed }) {
      guard let once = try? makePromoted(sequence) else { continue }
      replies.withLock { $0.promoted[sequence] = once }
    }
    socket.shutDown()
    discardQueue()
  }

  private func makePromoted(_ sequence: UInt64) throws(Errno) -> OnceEnd {
    let pair = try PacketSocket.pair()
    let callersEnd = pair.second
    let frame = FrameHeader(kind: .adoptReply, sequence: sequence).encoded()
    guard try socket.sendControl(frame, descriptors: [callersEnd.descriptor.number]) else { throw .wouldBlock }
    return OnceEnd(pair.first)
  }

  private func settle(_ sequence: UInt64) {
    replies.withLock { replies in
      if let index = replies.owed.firstIndex(of: sequence) { replies.owed.remove(at: index) }
      if !replies.promoted.isEmpty { replies.promoted[sequence] = nil }
    }
  }

  /// Rights in mail that nobody will read must die now, not when the last reply right lets go of this end.
  private func discardQueue() {
    var receiver = PacketReceiver()
    while case .packet = (try? receiver.receive(from: socket)) ?? .end {}
  }
}

extension PacketSocket {
  /// Sends a control frame, which no queue limit holds up: the sender makes room for it. False when there is none at
  /// all.
  borrowing func sendControl(_ frame: [UInt8], descriptors: [CInt] = []) throws(Errno) -> Bool {
    if try send(head: frame, tail: nil, 0..<0, descriptors: descriptors) { return true }
    try setSendBuffer(bytes: Limits.controlSendBuffer)
    return try send(head: frame, tail: nil, 0..<0, descriptors: descriptors)
  }
}
