import LinuxSystem

/// What a port has and owes (mach_port_get_attributes, MACH_PORT_RECEIVE_STATUS), at one moment.
public struct PortStatus: Hashable, Sendable {
  /// How many send rights were made from the port.
  public var makeSendCount: Int
  /// The number of the next message that is received.
  public var sequenceNumber: Int
  /// Send rights exist, be it in messages, or mail of one that was destroyed is still to be received.
  public var hasSenders: Bool
  /// Wires into the port: one for each send right and each send-once right.
  public var wireCount: Int
  /// Send-once rights that were neither used nor destroyed, or whose message is still to be received.
  public var sendOnceCount: Int
  /// Packets that are in line to be delivered, at most one of each wire.
  public var stagedPacketCount: Int
  /// Bytes of messages that wait in the wires, with their headers: the kernel counts bytes there, not messages.
  public var queuedByteCount: Int
  /// Sets that the port is in.
  public var setCount: Int
  /// Threads that wait in `receive`.
  public var waiterCount: Int
  /// The armed no-senders request.
  public var noSendersRequest: NoSendersRequest?
  /// It can be destroyed by those only who know its guard.
  public var isGuarded: Bool
  /// It is guarded against a change of its holder as well.
  public var isImmovable: Bool
  /// Wires that were closed because they broke the protocol.
  public var faultCount: Int
}

extension MailboxState {
  fileprivate var queuedBytes: Int { wires.keys.reduce(0) { $0 + (wires[$1]?.end.socket.unreadBytes() ?? 0) } }
}

extension ReceiveRight {
  /// Looks at the wires first, so that what ended counts no more.
  public borrowing func status() throws(PortError) -> PortStatus {
    try mailbox.withState(of: owner) { (state) throws(PortError) in
      try mailbox.lookAround(&state)
      return PortStatus(
        makeSendCount: state.makeSendCount, sequenceNumber: state.nextSequence, hasSenders: state.wires.senders > 0,
        wireCount: state.wires.count, sendOnceCount: state.wires.count - state.wires.senders,
        stagedPacketCount: state.order.count, queuedByteCount: state.queuedBytes, setCount: state.memberships.count,
        waiterCount: state.waiters.count,
        noSendersRequest: state.noSenders?.request, isGuarded: state.guardValue != nil,
        isImmovable: state.guardValue?.isImmovable ?? false, faultCount: state.faultCount)
    }
  }
}
