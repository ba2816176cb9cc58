/// How a call ended. It always ends.
public enum CallOutcome: ~Copyable, Sendable {
  /// The reply, with its rights.
  case reply(Message)
  /// The request was not sent and comes back whole.
  case returned(Message, PortError)
  /// The request was sent; no reply will be delivered.
  case failed(PortError)

  /// For callers who do not want a refused request back: it is destroyed, and its rights with it.
  public consuming func get() throws(PortError) -> Message {
    switch consume self {
    case .reply(let message): return message
    case .returned(_, let error): throw error
    case .failed(let error): throw error
    }
  }
}
