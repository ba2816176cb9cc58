/// What a message has at one place of its rights.
public enum RightKind: Hashable, Sendable {
  /// Nothing, on purpose. (MACH_PORT_NULL)
  case null
  /// A right whose port is gone. (MACH_PORT_DEAD)
  case deadName
  /// A right to send. (MACH_MSG_TYPE_PORT_SEND)
  case send
  /// A right to send one message. (MACH_MSG_TYPE_PORT_SEND_ONCE)
  case sendOnce
  /// A whole port.
  case receive
  /// There was one, but the receiver was out of descriptors. (MACH_RCV_BODY_ERROR)
  case lost
  /// It was taken out of the message before.
  case taken
}
