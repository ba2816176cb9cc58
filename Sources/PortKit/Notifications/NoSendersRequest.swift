/// A no-senders request that was armed: what Mach returns as the earlier send-once right. It is a value to look at;
/// nothing more comes of it.
public struct NoSendersRequest: Hashable, Sendable {
  /// The port that would have been told.
  public let target: PortID
  /// The make-send count from which on it would have been told.
  public let sync: Int
}
