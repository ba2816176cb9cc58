import LinuxSystem

/// The right to send exactly one message. Each one gives its maker exactly one message: the real one, or word that the
/// right was destroyed (`replyDropped` to a caller, a `sendOnce` notification to a port), be it by a crash.
public struct SendOnceRight: ~Copyable, Sendable {
  private enum Target: Sendable {
    /// The reply of a call, sent back on the caller's wire.
    case reply(MailboxEnd, sequence: UInt64)
    /// A wire of its own, closed after the message.
    case wire(OnceEnd)
    case used
  }

  private var target: Target
  private var record: RightRecord?

  init(replyOn end: MailboxEnd, sequence: UInt64) { target = .reply(end, sequence: sequence) }

  init(_ end: OnceEnd) { target = .wire(end) }

  /// Lists the right from now on as one that was made or taken there.
  consuming func listed(_ fileID: StaticString, _ line: UInt) -> SendOnceRight {
    let target = self.target
    record = RightRecord.make(.sendOnce, fileID, line) {
      guard case .wire(let end) = target else { return 0 }
      return (try? end.socket.cookie()) ?? 0
    }
    return self
  }

  /// A right in a message belongs to nobody.
  consuming func unlisted() -> SendOnceRight {
    record = nil
    return self
  }

  deinit {
    // A wire says it by itself: it closes without a message.
    if case .reply(let end, let sequence) = target { end.dropReply(sequence) }
  }

  /// Sends the message and uses the right up, also when the message is refused: whoever waits for it is told that the
  /// right is gone. The receiver's queue limit does not apply. A caller that has given up cannot be told from one that
  /// waits. Errors are those of ``SendRight/send(_:timeout:)``.
  ///
  /// The reply of a call never waits for its caller. Where the caller has so much unread that there is no room, the
  /// reply leaves on a wire of its own, which costs a descriptor until it is read; a caller that has
  /// ``Limits/callsPerWire`` such replies unread loses its wire, and this throws `deadName`.
  ///
  /// - Parameter timeout: how long to wait for rights in the message that must be copied for their journey, and for
  ///   room at a port whose send-once right this is; there it is always.
  public consuming func send(_ message: consuming Message, timeout: Duration? = Limits.sendTimeout) -> SendOutcome {
    var message = message
    // Taken, not copied: nobody else counts on it.
    var target = Target.used
    swap(&self.target, &target)
    do {
      switch target {
      case .reply(let end, let sequence): try end.sendReply(sequence, &message, timeout: timeout)
      case .wire(let end): try message.transmit(on: end.socket, kind: .message, until: Deadline(after: timeout))
      case .used: preconditionFailure("a used right has no owner")
      }
      return .sent
    } catch {
      // Its end tells whoever waits for it.
      self.target = target
      return .returned(message, error)
    }
  }

  /// Nobody will ever read the message. A reply right's caller may also have given up, which cannot be seen from here.
  var isDeadName: Bool {
    guard case .wire(let end) = target else { return false }
    return (try? hasHungUp(of: end.socket.descriptor.number)) ?? true
  }

  /// Asks for one `deadName` notification to `target`, a port of this process, when nobody can receive the message any
  /// more. Fires at once if that is so already. When this right is used, destroyed or moved first, a `portDeleted`
  /// notification comes instead. The reply right of a call gets a wire of its own for this, two descriptors.
  public mutating func requestDeadNameNotification(
    to target: borrowing ReceiveRight
  ) throws(PortError) -> DeadNameRequest {
    _ = try promote()
    guard case .wire(let end) = self.target else { preconditionFailure("a promoted right is a wire") }
    return try end.watches.begin(end.socket.descriptor.number, target)
  }

  /// Makes the right fit to travel: a reply right becomes a wire of its own, and the caller learns of it before that
  /// wire leaves this process. Returns the descriptor, which stays the right's.
  mutating func promote() throws(PortError) -> CInt {
    switch target {
    case .reply(let end, let sequence):
      let once = try end.promote(sequence)
      target = .wire(once)
      return once.socket.descriptor.number
    case .wire(let end): return end.socket.descriptor.number
    case .used: preconditionFailure("a used right has no owner")
    }
  }
}

/// The holder's end of a wire for one message.
final class OnceEnd: Sendable {
  let socket: PacketSocket
  let watches = DeadNameWatches()

  init(_ socket: consuming PacketSocket) { self.socket = socket }

  deinit { watches.end(socket.descriptor.number) }
}
