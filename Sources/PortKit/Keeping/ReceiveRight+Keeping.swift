extension ReceiveRight {
  /// Makes a send right whose holder may have ports kept in this one: this port gets them with a `portDestroyed`
  /// notification when they are destroyed or their owners die. Copies of the right cannot do that. Each wire of a kept
  /// port costs this process a descriptor, up to ``Limits/keptWires`` of each of ``Limits/keptPorts`` ports.
  ///
  /// What is kept is looked after by whoever receives from this port. If this port is destroyed, the kept ones become
  /// ordinary ones. It cannot move while it keeps any.
  public borrowing func makeKeepingSendRight(
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws(PortError) -> SendRight {
    SendRight(HolderEnd(try mailbox.makeWire(isSendOnce: false, powers: .keeps, owner: owner)), fileID, line)
  }

  /// From now on this port outlives its owner (MACH_NOTIFY_PORT_DESTROYED). When it is destroyed, or this process dies
  /// however that happens, the keeper's port gets a `portDestroyed` notification with the receive right: queue, limit,
  /// senders and blocked senders are as they were. Holders see no dead name and go on. Lost is at most the message that
  /// was just being handed out. The request moves with the port, and ends with its notification.
  ///
  /// Calls always end: those that were taken and not answered when the owner died fail with `replyDropped`, also where
  /// the next owner took the request before the caller heard of the death. Others are answered by the next owner.
  ///
  /// If the keeper is gone before the port, the port dies with its owner. Until its keeper has descriptors for it and
  /// reads what it is told, a busy port may lose what came since; ``isKept`` tells whether a keeper is there. A keeper
  /// that does not read holds up nobody: it is told when it reads again. Only a message that would move the port is
  /// refused meanwhile (`keeperNotReading`).
  ///
  /// Messages cost more: each is looked at in its wire before it is taken.
  ///
  /// - Parameter keeper: a right that another port made with ``makeKeepingSendRight(fileID:line:)``; with any other
  ///   one the port is not kept. Throws `alreadyKept` for a port that has a living keeper (KERN_FAILURE),
  ///   `circularMove` for the port itself, `deadName` and `descriptorShortage`; the port is unharmed then.
  public borrowing func requestPortDestroyedNotification(to keeper: borrowing SendRight) throws(PortError) {
    try mailbox.requestKeeping(by: keeper.end, owner: owner)
  }

  /// A keeper is there, or on the way.
  public var isKept: Bool { mailbox.isKept }

  /// Ports of others that this one keeps.
  public var keptPorts: Int { mailbox.keptPorts }
}
