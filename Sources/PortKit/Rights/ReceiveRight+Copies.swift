extension ReceiveRight {
  /// How many wires the copies of one right, their copies and so on may bring into this port; each costs this process a
  /// descriptor. Starts at ``Limits/copiesPerRight``. Wires that bring more are not read until others of the same
  /// origin are gone; nobody else notices. After ``Limits/copyPatience`` they are read again, and the copies that there
  /// is still no room for become dead names. A lower limit takes nothing from anybody. Any thread may call this.
  public var copyLimit: Int { mailbox.copyLimit }

  /// Changes ``copyLimit``. Wires that found no room go on in the order in which they came.
  ///
  /// - Parameter limit: 0 or more. Throws `invalidCopyLimit` otherwise, `portChanged` for a port that is gone, and
  ///   `system` when the kernel cannot watch a wire again.
  public borrowing func setCopyLimit(_ limit: Int) throws(PortError) {
    if limit < 0 { throw .invalidCopyLimit(limit) }
    try mailbox.setCopyLimit(limit)
  }

  /// Makes a send right for somebody who hands out copies to others, such as a name server: they are not counted
  /// together, each copy has a limit of its own. Its holder can therefore use up this process's descriptors.
  public borrowing func makeIntroducingSendRight() throws(PortError) -> SendRight {
    SendRight(HolderEnd(try mailbox.makeWire(isSendOnce: false, powers: .introduces, owner: owner)))
  }

  /// Wires that are not read because their copies found no room.
  package var stoppedWires: Int { mailbox.stoppedWires }
}
