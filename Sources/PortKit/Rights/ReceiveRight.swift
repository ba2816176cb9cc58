package import LinuxSystem

/// A port: the mailbox of which exactly one exists. Destroying it destroys the mail in it and makes every right to it a
/// dead name.
///
/// Threads may receive from one port side by side; each message goes to exactly one of them.
public struct ReceiveRight: ~Copyable, Sendable {
  let mailbox: Mailbox

  /// Allocates a port without senders. Costs one descriptor.
  public init() throws(PortError) { mailbox = try Mailbox() }

  /// The daemon's side of one connection: a port with this single wire, whose holder may not bring further ones.
  package init(adopting socket: consuming PacketSocket) throws(PortError) {
    let mailbox = try Mailbox()
    try mailbox.adopt(socket)
    self.mailbox = mailbox
  }

  deinit { mailbox.close() }

  /// Makes a send right (MACH_MSG_TYPE_MAKE_SEND): a wire of its own, two descriptors.
  public borrowing func makeSendRight() throws(PortError) -> SendRight {
    SendRight(HolderEnd(try mailbox.makeWire(isSendOnce: false)))
  }

  /// Makes a send-once right (MACH_MSG_TYPE_MAKE_SEND_ONCE). If it is destroyed unused, by whomever, this port gets a
  /// `sendOnce` notification.
  public borrowing func makeSendOnceRight() throws(PortError) -> SendOnceRight {
    SendOnceRight(OnceEnd(try mailbox.makeWire(isSendOnce: true)))
  }

  /// How many send rights were made from this port.
  public var makeSendCount: Int { mailbox.makeSendCount }

  /// Receives the next message. Across all rights to this port the order is causal: a message whose send began after
  /// another one's send had returned comes later.
  ///
  /// - Parameter timeout: nil waits for ever, `.zero` not at all. Throws `timedOut` when nothing came.
  public borrowing func receive(timeout: Duration? = nil) throws(PortError) -> Message {
    if let timeout, timeout <= .zero {
      guard let message = try mailbox.receiveIfReady() else { throw .timedOut }
      return message
    }
    return try mailbox.receive(until: Deadline(after: timeout))
  }

  /// Asks for one `noSenders` notification in this port, after the last message. With `sync` above the make-send count
  /// it waits for the first share; with 0 it fires at once on a port that was never shared.
  public borrowing func requestNoSendersNotification(sync: Int = 0) throws(PortError) {
    try mailbox.armNoSenders(sync: sync)
  }

  // MARK: For run loops

  /// Readable, level-triggered, while something may be there; the same for the port's whole life.
  package var pollDescriptor: CInt { mailbox.pollDescriptor }

  /// Mail is in hand whatever the descriptor says: a loop must not sleep.
  package var hasStagedMail: Bool { mailbox.hasStagedMail }

  /// Never waits; nil when nothing is there.
  package borrowing func receiveIfReady() throws(PortError) -> Message? { try mailbox.receiveIfReady() }

  /// Why wires of this port were closed for breaking the protocol, the latest last.
  package var faults: [FrameError] { mailbox.faults }
}
