import LinuxSystem

/// Several ports to wait on as one (MACH_PORT_RIGHT_PORT_SET).
///
/// A set has no queue and owns no right: its members' receive rights stay with their holders, may be received from
/// directly as well, and may be in several sets. Each message goes to exactly one receiver. A message's
/// ``Message/localPort`` names the member that it came through. Members that have mail take turns, whatever the one of
/// them holds. No order is promised between the mail of two members.
///
/// Costs two descriptors, and one for each member once. All operations may be used by several threads side by side.
public struct PortSet: ~Copyable, Sendable {
  let core: SetCore

  /// An empty set.
  public init() throws(PortError) { core = try SetCore() }

  deinit { core.close() }

  /// Adds a port. Its mail is receivable here at once, also by threads that wait already.
  ///
  /// Throws `alreadyInSet` for a member. A port that is destroyed, transferred or moved away leaves its sets silently.
  @discardableResult
  public borrowing func insert(_ port: borrowing ReceiveRight) throws(PortError) -> PortID {
    try port.mailbox.join(core, owner: port.owner)
    return port.id
  }

  /// Takes a member out. Threads that wait go on with the others. Throws `notInSet` for a port that is not a member.
  public borrowing func extract(_ port: borrowing ReceiveRight) throws(PortError) {
    try port.mailbox.move(from: core, to: nil, owner: port.owner)
  }

  /// Moves a member to another set in one step: no message of it can be received here once this has returned, and it
  /// is at each moment in one of the two. On an error it stays where it is.
  public borrowing func move(_ port: borrowing ReceiveRight, to other: borrowing PortSet) throws(PortError) {
    try port.mailbox.move(from: core, to: other.core, owner: port.owner)
  }

  /// The ports that are in the set now.
  public var members: [PortID] { core.members }

  /// Receives the next message of any member.
  ///
  /// - Parameter timeout: nil waits for ever, `.zero` not at all. Throws `timedOut` when nothing came, and
  ///   `portChanged` when the set is destroyed.
  public borrowing func receive(timeout: Duration? = nil) throws(PortError) -> Message {
    if let timeout, timeout <= .zero {
      guard let message = try core.receiveIfReady() else { throw .timedOut }
      return message
    }
    return try core.receive(until: Deadline(after: timeout))
  }

  /// Destroys the set while others may wait on it: they return at once with `portChanged`. Members and their mail stay.
  /// The end of the value does the same.
  public borrowing func destroy() { core.close() }

  // MARK: For run loops

  /// Readable, level-triggered, while something may be there; the same for the set's whole life.
  package var pollDescriptor: CInt { core.pollDescriptor }

  /// Mail is in hand whatever the descriptor says.
  package var hasStagedMail: Bool { core.hasStagedMail }

  /// Never waits; nil when nothing is there.
  package borrowing func receiveIfReady() throws(PortError) -> Message? { try core.receiveIfReady() }
}
