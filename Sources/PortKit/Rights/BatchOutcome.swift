/// What became of a batch. What was not sent comes back, in order; what was sent will arrive.
public enum BatchOutcome: ~Copyable, Sendable {
  /// The kernel holds all of them: they will arrive even if this process dies now.
  case sent
  /// The rest, which may be sent again. Its ``MessageBatch/count`` tells how many were not sent.
  case returned(MessageBatch, PortError)

  /// For callers who do not want the rest back: it is destroyed, and its rights with it.
  public consuming func get() throws(PortError) {
    switch consume self {
    case .sent: return
    case .returned(_, let error): throw error
    }
  }
}
