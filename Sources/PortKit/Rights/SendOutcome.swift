/// What became of a message. A refused one comes back whole, with every right in it (Mach's pseudo-receive).
public enum SendOutcome: ~Copyable, Sendable {
  /// The kernel holds it: it will arrive even if this process dies now.
  case sent
  /// It was not sent. It may be sent again, by this right or another one.
  case returned(Message, PortError)

  /// For callers who do not want a refused message back: it is destroyed, and its rights with it.
  public consuming func get() throws(PortError) {
    switch consume self {
    case .sent: return
    case .returned(_, let error): throw error
    }
  }
}
