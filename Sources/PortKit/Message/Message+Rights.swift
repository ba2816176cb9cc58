import LinuxSystem

// The rights of a message. Each of Mach's six dispositions has its form of `attach`: the three moves consume a right,
// copy-send borrows a send right, make-send and make-send-once borrow the port.

extension Message {
  /// Places for rights, also those that are empty or whose right was taken. The reply right has none of them.
  public var rightsCount: Int { rights.count }

  /// What lies at a place. A right whose port died on the way is a dead name; this asks the kernel.
  public func kind(ofRightAt index: Int) throws(PortError) -> RightKind {
    guard rights.indices.contains(index) else { throw .noSuchRight(index: index) }
    return rights[index].kind
  }

  // MARK: Attaching

  private mutating func append(_ right: MessageRight) -> Int {
    rights.append(right)
    return rights.count - 1
  }

  /// Moves a right into the message; it arrives under the returned index, with what it has unread at its port, its
  /// queue limit and its credit for copies. Calls that are out end as they would. (MACH_MSG_TYPE_MOVE_SEND)
  @discardableResult
  public mutating func attach(_ right: consuming SendRight) -> Int { append(.send(right.end)) }

  /// Moves a send-once right into the message. (MACH_MSG_TYPE_MOVE_SEND_ONCE)
  @discardableResult
  public mutating func attach(_ right: consuming SendOnceRight) -> Int {
    append(.sendOnce(SendOnceBox(right.unlisted())))
  }

  /// Moves a whole port into the message (MACH_MSG_TYPE_MOVE_RECEIVE): its wires, what is queued in them and in hand,
  /// and an armed no-senders request. Senders notice nothing and go on, in one sequence. If the message is refused or
  /// destroyed before it was sent, the port is still in it.
  ///
  /// Make-send count and sequence number begin at 0 with the new owner. The queue limit travels, and who pays for which
  /// copy; the copy limit and introducing rights do as well where the mover runs for root or the new owner's user, for
  /// they say what others may cost a process. A keeper goes on keeping the port; a guard does not travel. Dead-name
  /// requests whose notification should have come to this port end, since they watch rights of this process; those that
  /// came already are lost. Replies that are owed to its callers can still be given. A port that keeps others does not
  /// move: the send is refused with `keepsPorts`.
  @discardableResult
  public mutating func attach(_ port: consuming ReceiveRight) -> Int { append(.receive(ReceiveBox(port))) }

  /// A copy of a right. Waits and throws as ``SendRight/copy(timeout:fileID:line:)`` does. (MACH_MSG_TYPE_COPY_SEND)
  @discardableResult
  public mutating func attach(
    copying right: borrowing SendRight, timeout: Duration? = Limits.sendTimeout
  ) throws(PortError) -> Int {
    attach(try right.copy(timeout: timeout))
  }

  /// A fresh right to a port. Throws `descriptorShortage`. (MACH_MSG_TYPE_MAKE_SEND)
  @discardableResult
  public mutating func attach(makingSendRightFrom port: borrowing ReceiveRight) throws(PortError) -> Int {
    attach(try port.makeSendRight())
  }

  /// A fresh send-once right to a port. Throws `descriptorShortage`. (MACH_MSG_TYPE_MAKE_SEND_ONCE)
  @discardableResult
  public mutating func attach(makingSendOnceRightFrom port: borrowing ReceiveRight) throws(PortError) -> Int {
    attach(try port.makeSendOnceRight())
  }

  /// A place without a right. (MACH_PORT_NULL)
  @discardableResult
  public mutating func attachNull() -> Int { append(.null) }

  /// A place that arrives as a dead name, without a descriptor. (MACH_PORT_DEAD)
  @discardableResult
  public mutating func attachDeadName() -> Int { append(.dead) }

  // MARK: Taking

  /// Also takes a right whose port is gone meanwhile: it is a dead name. A place that came as a dead name has no right
  /// to take.
  ///
  /// Throws `noSuchRight` for a place that does not exist or was emptied, `wrongKindOfRight` for another kind, null or
  /// a dead name among them, and `rightLost`; the place is then as it was.
  public mutating func takeSendRight(
    at index: Int, fileID: StaticString = #fileID, line: UInt = #line
  ) throws(PortError) -> SendRight {
    guard case .send(let end) = try right(at: index) else { throw .wrongKindOfRight(index: index) }
    rights[index] = .taken
    return SendRight(end, fileID, line)
  }

  /// The right is the caller's from now on. Throws as ``takeSendRight(at:fileID:line:)`` does.
  public mutating func takeSendOnceRight(
    at index: Int, fileID: StaticString = #fileID, line: UInt = #line
  ) throws(PortError) -> SendOnceRight {
    guard case .sendOnce(let box) = try right(at: index) else { throw .wrongKindOfRight(index: index) }
    rights[index] = .taken
    guard let right = box.take() else { throw .noSuchRight(index: index) }
    return right.listed(fileID, line)
  }

  /// The port is this process's from now on, with the descriptors of its wires. Throws as
  /// ``takeSendRight(at:fileID:line:)`` does.
  public mutating func takeReceiveRight(
    at index: Int, fileID: StaticString = #fileID, line: UInt = #line
  ) throws(PortError) -> ReceiveRight {
    guard case .receive(let box) = try right(at: index) else { throw .wrongKindOfRight(index: index) }
    rights[index] = .taken
    guard let right = box.take() else { throw .noSuchRight(index: index) }
    return right.listed(fileID, line)
  }

  private func right(at index: Int) throws(PortError) -> MessageRight {
    guard rights.indices.contains(index) else { throw .noSuchRight(index: index) }
    switch rights[index] {
    case .taken: throw .noSuchRight(index: index)
    case .lost: throw .rightLost(index: index)
    case let right: return right
    }
  }
}
