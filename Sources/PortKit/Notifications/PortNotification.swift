/// What the library tells a receive right about other rights. Notifications are made in the process that gets them,
/// never sent on a wire, so nobody can forge one.
public enum PortNotification: Hashable, Sendable {
  /// The last send right is gone and every message was received. Compare the count with ``ReceiveRight/makeSendCount``:
  /// when the latter is larger, a right was made since and the notification is stale. (MACH_NOTIFY_NO_SENDERS)
  case noSenders(makeSendCount: Int)
  /// The port behind the right for which this was requested is dead. (MACH_NOTIFY_DEAD_NAME)
  case deadName(DeadNameRequest)
  /// The right for which this was requested was destroyed, used up or moved before its port died.
  /// (MACH_NOTIFY_PORT_DELETED)
  case portDeleted(DeadNameRequest)
  /// The right for which this was requested may send: its queue has room. When its port dies first, `deadName` comes
  /// instead, and `portDeleted` when the right goes. (MACH_NOTIFY_SEND_POSSIBLE)
  case sendPossible(DeadNameRequest)
  /// A port that was kept here was destroyed, or its owner died: the message carries its receive right, as the right at
  /// place 0. Queue, limit, senders and an armed no-senders request are what they were, the make-send count is 0, and
  /// nobody keeps it until that is asked for again.
  case portDestroyed
  /// A send-once right of this port was destroyed without a message. Also told to the target of a no-senders request
  /// when the port that it was for is destroyed before it has no senders. (MACH_NOTIFY_SEND_ONCE)
  case sendOnce

  var isNoSenders: Bool {
    if case .noSenders = self { true } else { false }
  }

  /// MACH_NOTIFY_PORT_DELETED, MACH_NOTIFY_SEND_POSSIBLE, MACH_NOTIFY_PORT_DESTROYED, MACH_NOTIFY_NO_SENDERS,
  /// MACH_NOTIFY_DEAD_NAME, MACH_NOTIFY_SEND_ONCE.
  var messageID: Int32 {
    switch self {
    case .portDeleted: 65
    case .sendPossible: 66
    case .portDestroyed: 69
    case .noSenders: 70
    case .sendOnce: 71
    case .deadName: 72
    }
  }
}
