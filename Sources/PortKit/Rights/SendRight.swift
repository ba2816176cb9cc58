package import LinuxSystem

/// The right to send any number of messages to one port: the holder's end of a wire of its own.
///
/// Several threads may use one right at the same time; each message is delivered whole, and each thread's messages in
/// the order of their sends. Destroying the right closes the wire; what was sent before still arrives.
public struct SendRight: ~Copyable, Sendable {
  let end: HolderEnd
  private let record: RightRecord?

  init(_ end: HolderEnd, _ fileID: StaticString = #fileID, _ line: UInt = #line) {
    self.end = end
    record = RightRecord.make(.send, fileID, line) { (try? end.socket.cookie()) ?? 0 }
  }

  /// Takes over a connected socket, such as the one to the name server.
  package init(adopting socket: consuming PacketSocket, fileID: StaticString = #fileID, line: UInt = #line) {
    self.init(HolderEnd(socket), fileID, line)
  }

  /// Sends one message (MACH_SEND_MSG). Returns when the kernel holds it. Threads that find no room wait in line.
  ///
  /// Otherwise the message comes back whole, with `deadName`, also when the port dies while this waits; `timedOut`;
  /// `messageTooLarge` and `tooManyRights`; `descriptorShortage`, only where rights travel; `noSuchRight` and
  /// `rightLost` for a place that has nothing to send; `guarded` for an immovable port in it; or `circularMove`.
  ///
  /// - Parameter timeout: how long to wait for room; nil waits for ever, `.zero` not at all.
  public borrowing func send(_ message: consuming Message, timeout: Duration? = Limits.sendTimeout) -> SendOutcome {
    var message = message
    do {
      try end.transmit(&message, kind: .message, until: Deadline(after: timeout))
      return .sent
    } catch {
      return .returned(message, error)
    }
  }

  /// Sends the messages of a batch in order. Returns when the kernel holds them all, or with those that it does not and
  /// the error of the first of these.
  ///
  /// - Parameter timeout: for all of them together.
  public borrowing func send(
    _ batch: consuming MessageBatch, timeout: Duration? = Limits.sendTimeout
  ) -> BatchOutcome {
    var batch = batch
    do {
      try end.transmit(&batch, until: Deadline(after: timeout))
      return .sent
    } catch {
      return .returned(batch, error)
    }
  }

  /// Sends a request and waits for its reply, which comes back on the same wire: a call costs no descriptor.
  ///
  /// It always ends: with the reply, `replyDropped` (the callee destroyed its reply right), `deadName` (the port died),
  /// `timedOut`, or `descriptorShortage` (the reply came on a wire that this process had no descriptor for). A request
  /// that was not sent comes back whole, as from ``send(_:timeout:)``, or with `tooManyCalls`, or with
  /// `wrongKindOfRight` when it has a reply right already. Several threads may call side by side.
  ///
  /// - Parameter timeout: for request and reply together; nil waits as long as the port lives.
  public borrowing func call(_ message: consuming Message, timeout: Duration? = nil) -> CallOutcome {
    end.call(message, until: Deadline(after: timeout))
  }

  /// Sends a message without rights whose bytes stay the caller's: they are not copied unless it has to wait for room.
  /// Throws what ``send(_:timeout:)-(Message,_)`` returns; nothing was sent then.
  public borrowing func send(
    id: Int32, body: Span<UInt8>, timeout: Duration? = Limits.sendTimeout
  ) throws(PortError) {
    try end.transmit(id, body, kind: .message, until: Deadline(after: timeout))
  }

  /// Sends a request without rights whose bytes stay the caller's, and waits for its reply: the quickest call. Throws
  /// what ``call(_:timeout:)`` returns; the request may have been sent then.
  public borrowing func call(
    id: Int32, body: Span<UInt8>, timeout: Duration? = nil
  ) throws(PortError) -> Message {
    try end.call(id, body, until: Deadline(after: timeout))
  }

  /// A second right to the same port (MACH_MSG_TYPE_COPY_SEND). Needs no answer of the owner, but at most eight copies
  /// of one right may be under way: the next one waits until the owner has taken one in. Throws `timedOut` when it did
  /// not, `descriptorShortage`, or `deadName`.
  public borrowing func copy(
    timeout: Duration? = Limits.sendTimeout, fileID: StaticString = #fileID, line: UInt = #line
  ) throws(PortError) -> SendRight {
    SendRight(try end.copy(until: Deadline(after: timeout)), fileID, line)
  }

  /// Room for that many bytes of unread mail, as far as the system allows.
  package borrowing func reserveSendBuffer(bytes: Int) throws(PortError) {
    let end = self.end
    try translatingErrno { () throws(Errno) in try end.socket.setSendBuffer(bytes: bytes) }
  }

  /// Readable while the port has said something that was not read: an answer, or credit for copies.
  package var newsDescriptor: CInt { end.socket.descriptor.number }

  package borrowing func readNews() { end.readNews() }

  /// True once the port's receive right is gone. Replies that were sent before may still be read by a `call`.
  public var isDeadName: Bool { end.isDeadName }

  /// Asks for one `deadName` notification to `target`, a port of this process. Fires at once if the port is dead
  /// already. When this right is destroyed or moved first, a `portDeleted` notification comes instead. Each request
  /// gives one notification, told apart by the result. (MACH_NOTIFY_DEAD_NAME)
  public borrowing func requestDeadNameNotification(
    to target: borrowing ReceiveRight
  ) throws(PortError) -> DeadNameRequest {
    try end.checkProcess()
    return try end.watches.begin(end.socket.descriptor.number, target)
  }

  /// Asks for one `sendPossible` notification to `target`, a port of this process, when the queue of this right has
  /// room for a message. Fires at once if it has. If the port dies first a `deadName` notification comes instead, if
  /// this right is destroyed or moved first `portDeleted`; all are told apart by the result.
  /// (MACH_NOTIFY_SEND_POSSIBLE)
  ///
  /// The room is promised to nobody: another thread may take it first.
  public borrowing func requestSendPossibleNotification(
    to target: borrowing ReceiveRight
  ) throws(PortError) -> DeadNameRequest {
    try end.checkProcess()
    return try end.watchForRoom(from: target.mailbox, owner: target.owner)
  }
}
