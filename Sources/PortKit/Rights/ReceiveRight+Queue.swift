extension ReceiveRight {
  /// How many messages may wait on each right to this port; a sender that finds so many waits or is refused. What a
  /// receiver has taken from the kernel to find out which message is the oldest, one packet of each right at most, does
  /// not count.
  public var queueLimit: Int { mailbox.queueLimit }

  /// Changes the limit, for rights that exist already as well (MACH_PORT_LIMITS_INFO). Raising it lets waiting senders
  /// go; lowering it below the fill drops nothing.
  ///
  /// A holder learns of it at its next send; one that has not read for long, when this port is looked at after it has.
  /// Only calls that follow each other in one tick of the kernel (1 to 10 ms) on a right with nothing unread do not
  /// look first: they may still pass a limit that was lowered to 0 in that time.
  ///
  /// - Parameter limit: 0…1024. Throws `invalidQueueLimit` otherwise (KERN_INVALID_VALUE), and `queueTooLarge` where
  ///   the system's socket buffers (net.core.wmem_max) cannot hold so many.
  public borrowing func setQueueLimit(_ limit: Int) throws(PortError) {
    try setQueueLimit(limit, highest: Limits.highestQueueLimit)
  }

  /// The same for a queue beyond Mach's 1024 messages.
  public borrowing func setLargeQueueLimit(_ limit: Int) throws(PortError) {
    try setQueueLimit(limit, highest: Limits.largestQueueLimit)
  }

  private borrowing func setQueueLimit(_ limit: Int, highest: Int) throws(PortError) {
    guard (0...highest).contains(limit) else { throw .invalidQueueLimit(limit, highest: highest) }
    try QueueCapacity.ofThisSystem.check(limit)
    mailbox.setQueueLimit(limit)
  }
}
