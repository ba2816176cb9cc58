/// What became of a message. A refused one comes back whole, with every right in it (Mach's pseudo-receive).
public enum SendOutcome: ~Copyable, Sendable {
  /// The kernel holds it: it will arrive even if this process dies now.
  case sent
  case returned(Message, PortError)

  /// For callers who do not want a refused message back: it is destroyed, and its rights with it.
  public consuming func get() throws(PortError) {
    switch consume self {
    case .sent: return
    case .returned(_, let error): throw error
    }
  }
}

/// How a call ended. It always ends.
public enum CallOutcome: ~Copyable, Sendable {
  case reply(Message)
  /// The request was not sent and comes back whole.
  case returned(Message, PortError)
  /// The request was sent; no reply will be delivered.
  case failed(PortError)

  public consuming func get() throws(PortError) -> Message {
    switch consume self {
    case .reply(let message): return message
    case .returned(_, let error): throw error
    case .failed(let error): throw error
    }
  }
}
