/// A no-senders request as the port keeps it. Does not keep its target alive. An object, because each message asks for
/// it, and copies of weak references are dear.
final class ArmedNoSenders: Sendable {
  let request: NoSendersRequest
  private let weakTarget: WeakMailbox?
  let isForOtherPort: Bool

  /// To the port itself.
  init(_ request: NoSendersRequest) {
    self.request = request
    weakTarget = nil
    isForOtherPort = false
  }

  /// To another one.
  init(_ request: NoSendersRequest, _ target: Mailbox) {
    self.request = request
    weakTarget = WeakMailbox(target)
    isForOtherPort = true
  }

  var target: Mailbox? { weakTarget?.object }
}

/// That a port watches another one for the end of its wires.
struct Look: Sendable {
  let watched: WeakMailbox
  /// Requests that need it: while one is replaced by the next there are two.
  var requests: Int

  private static let flag = MailboxState.watchFlag | 1 << 62

  /// The key of a watched port's poller. No dead-name request has such a number.
  static func key(of port: PortID) -> UInt64 { flag | port.number }
}
