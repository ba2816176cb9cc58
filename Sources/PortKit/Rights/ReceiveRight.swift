package import LinuxSystem

/// A port: the mailbox of which exactly one exists. Destroying it destroys the mail in it and makes every right to it a
/// dead name.
///
/// Threads may receive from one port side by side; each message goes to exactly one of them, and those who wait are
/// served first come, first served.
///
/// After `transfer()` or `destroy()` the value is an empty shell, whose operations throw `portChanged`.
public struct ReceiveRight: ~Copyable, Sendable {
  let mailbox: Mailbox
  /// Which of the port's successive values this one is.
  let owner: UInt64
  private var record: RightRecord?

  /// Allocates a port without senders. Costs one descriptor, and another one once a thread waits in `receive`, the port
  /// is in a set or on a run loop, or it is the target of notifications.
  public init(fileID: StaticString = #fileID, line: UInt = #line) throws(PortError) {
    self.init(try Mailbox(), owner: 0, fileID, line)
  }

  init(_ mailbox: Mailbox, owner: UInt64, _ fileID: StaticString, _ line: UInt) {
    self.mailbox = mailbox
    self.owner = owner
    record = RightRecord.make(.receive, fileID, line) { mailbox.id.number }
  }

  /// The daemon's side of one connection: a port with this single wire, whose holder may not bring further ones.
  package init(
    adopting socket: consuming PacketSocket, fileID: StaticString = #fileID, line: UInt = #line
  ) throws(PortError) {
    let mailbox = try Mailbox()
    try mailbox.adopt(socket)
    self.init(mailbox, owner: 0, fileID, line)
  }

  /// One that came in a message, and belongs to nobody yet.
  init(unlisted mailbox: Mailbox) {
    self.mailbox = mailbox
    owner = 0
    record = nil
  }

  /// Lists the right from now on as one that was taken there.
  consuming func listed(_ fileID: StaticString, _ line: UInt) -> ReceiveRight {
    let number = mailbox.id.number
    record = RightRecord.make(.receive, fileID, line) { number }
    return self
  }

  /// A right in a message belongs to nobody.
  consuming func unlisted() -> ReceiveRight {
    record = nil
    return self
  }

  deinit { mailbox.end(owner: owner) }

  /// Tells this process's ports apart.
  public var id: PortID { mailbox.id }

  /// Makes a send right (MACH_MSG_TYPE_MAKE_SEND): a wire of its own, two descriptors, one of which leaves with the
  /// right when it moves. Any thread may do so. Throws `descriptorShortage`.
  public borrowing func makeSendRight(
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws(PortError) -> SendRight {
    SendRight(HolderEnd(try mailbox.makeWire(isSendOnce: false, owner: owner)), fileID, line)
  }

  /// Makes a send-once right (MACH_MSG_TYPE_MAKE_SEND_ONCE). If it is destroyed unused, by whomever, this port gets a
  /// `sendOnce` notification. Two descriptors; throws `descriptorShortage`.
  public borrowing func makeSendOnceRight(
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws(PortError) -> SendOnceRight {
    SendOnceRight(OnceEnd(try mailbox.makeWire(isSendOnce: true, owner: owner))).listed(fileID, line)
  }

  /// How many send rights were made from this port since it came to this process (`mps_mscount`). Copies and send-once
  /// rights do not count.
  public var makeSendCount: Int { mailbox.makeSendCount }

  /// Receives the next message (MACH_RCV_MSG), which is the caller's with all its rights. Across all rights to this
  /// port the order is causal: a message whose send began after another one's send had returned comes later.
  ///
  /// - Parameter timeout: nil waits for ever, `.zero` not at all. Throws `timedOut` when nothing came.
  ///   Throws `portChanged` at once when the port is destroyed or transferred, and `deadName` in a child made by fork.
  public borrowing func receive(timeout: Duration? = nil) throws(PortError) -> Message {
    if let timeout, timeout <= .zero {
      guard let message = try mailbox.receiveIfReady(owner: owner) else { throw .timedOut }
      return message
    }
    return try mailbox.receive(owner: owner, until: Deadline(after: timeout))
  }

  // MARK: Owners

  /// Takes the port away from whoever uses it through this value: the result is its only right, with all wires, mail
  /// and requests. Threads that wait return at once with `portChanged` and get no later message; the port leaves its
  /// sets. It is a new value for the same port in the same process: counts and sequence numbers go on.
  ///
  /// Throws `guarded` for a port that is immovable.
  public borrowing func transfer(
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws(PortError) -> ReceiveRight {
    ReceiveRight(mailbox, owner: try mailbox.transfer(from: owner), fileID, line)
  }

  /// Destroys the port while others may use it through this value (mach_port_destruct): threads that wait return at
  /// once with `portChanged`, sets lose it silently, mail is destroyed, rights to it become dead names.
  ///
  /// - Parameter context: the port's guard, if it has one. Throws `guarded` for a guarded port without it, and
  ///   `wrongGuard` for a wrong one; the port is unharmed then.
  public borrowing func destroy(guard context: UInt64? = nil) throws(PortError) {
    try mailbox.destroy(owner: owner, guard: context)
  }

  // MARK: For run loops

  /// Readable, level-triggered, while something may be there; the same for the port's whole life.
  package var pollDescriptor: CInt { mailbox.pollDescriptor }

  /// Mail is in hand whatever the descriptor says: a loop must not sleep.
  package var hasStagedMail: Bool { mailbox.hasStagedMail }

  /// Never waits; nil when nothing is there.
  package borrowing func receiveIfReady() throws(PortError) -> Message? { try mailbox.receiveIfReady(owner: owner) }

  /// Why wires of this port were closed for breaking the protocol, the latest last.
  package var faults: [FrameError] { mailbox.faults }
}
