extension ReceiveRight {
  /// Makes a port that is guarded from its beginning (mach_port_construct).
  public init(
    guard value: UInt64, immovable: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
  ) throws(PortError) {
    let mailbox = try Mailbox()
    try mailbox.setGuard(PortGuard(value: value, isImmovable: immovable), owner: 0)
    self.init(mailbox, owner: 0, fileID, line)
  }

  /// Guards the port (mach_port_guard): from now on it is destroyed only by `destroy(guard:)` with this value. Throws
  /// `guarded` when it has a guard already, which stays.
  ///
  /// A guard is for rights that many parts of a program can reach. It cannot hinder the end of the value itself, after
  /// which nobody owns the port: dropping a guarded right is a programming error, which stops a debug build with the
  /// guard's value in the message. Elsewhere the port is destroyed, because a program in use is better served by one
  /// dead port than by its own end or by a port that nobody can ever close.
  ///
  /// - Parameter immovable: also refuse `transfer()` and moving the right inside a message, with `guarded`.
  public borrowing func setGuard(_ value: UInt64, immovable: Bool = false) throws(PortError) {
    try mailbox.setGuard(PortGuard(value: value, isImmovable: immovable), owner: owner)
  }

  /// Takes the guard off (mach_port_unguard). Throws `wrongGuard` when it is another one, or there is none.
  public borrowing func unguard(_ value: UInt64) throws(PortError) {
    try mailbox.withState(of: owner) { (state) throws(PortError) in
      guard state.guardValue?.value == value else { throw .wrongGuard }
      state.guardValue = nil
    }
  }
}

extension Mailbox {
  fileprivate func setGuard(_ guardValue: PortGuard, owner: UInt64) throws(PortError) {
    try withState(of: owner) { (state) throws(PortError) in
      if state.guardValue != nil { throw .guarded }
      state.guardValue = guardValue
    }
  }
}
