extension ReceiveRight {
  /// Takes the port out of all sets that it is in and puts it into this one, in one step (mach_port_move_member).
  public borrowing func move(into set: borrowing PortSet) throws(PortError) {
    try mailbox.move(from: nil, to: set.core, owner: owner)
  }

  /// Takes the port out of all sets that it is in, in one step. Throws `notInSet` when it is in none.
  public borrowing func leaveAllSets() throws(PortError) { try mailbox.move(from: nil, to: nil, owner: owner) }
}
