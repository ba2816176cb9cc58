extension ReceiveRight {
  /// Asks for one `noSenders` notification in this port, after the last message (MACH_NOTIFY_NO_SENDERS). With `sync`
  /// above the make-send count it waits for the first share; with 0 it fires at once on a port that was never shared.
  ///
  /// A port has one such request: a new one replaces an earlier one, which is returned and fires no more. After it
  /// fired nothing comes until the next request. When the port is destroyed, so is the request.
  @discardableResult
  public borrowing func requestNoSendersNotification(sync: Int = 0) throws(PortError) -> NoSendersRequest? {
    try mailbox.armNoSenders(sync: sync, owner: owner)
  }

  /// The same, told to another port of this process. If this port is destroyed first, `target` gets a `sendOnce`
  /// notification, as with Mach; if `target` is, nobody is told.
  ///
  /// Ports cannot tell each other in a ring: the request that would close one is refused by the kernel and throws
  /// `system`. While it is armed, each message to this port that finds it empty also wakes whoever waits for `target`.
  @discardableResult
  public borrowing func requestNoSendersNotification(
    sync: Int = 0, to target: borrowing ReceiveRight
  ) throws(PortError) -> NoSendersRequest? {
    try mailbox.armNoSenders(sync: sync, owner: owner, target: target.mailbox, targetsOwner: target.owner)
  }

  /// Takes the request back, and returns it; nil when none was armed or it fired already.
  @discardableResult
  public borrowing func cancelNoSendersNotification() throws(PortError) -> NoSendersRequest? {
    try mailbox.cancelNoSenders(owner: owner)
  }
}
