extension ReceiveRight {
  /// How many wires the copies of one right, their copies and so on may bring into this port; each costs this process a
  /// descriptor. Starts at ``Limits/copiesPerRight``. Wires that bring more are not read until others of the same
  /// origin are gone; nobody else notices. A lower limit takes nothing from anybody. Any thread may call this.
  public var copyLimit: Int { mailbox.copyLimit }

  /// Throws when the kernel has no descriptor for waking a thread that waits in this port.
  public borrowing func setCopyLimit(_ limit: Int) throws(PortError) {
    precondition(limit >= 0, "a limit of \(limit) copies")
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
