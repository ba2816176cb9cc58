/// What protects a port from being destroyed or moved by mistake.
struct PortGuard: Hashable, Sendable {
  let value: UInt64
  /// (MPG_IMMOVABLE_RECEIVE)
  let isImmovable: Bool
}

extension MailboxState {
  /// Whether the port may be destroyed by one who knows this guard.
  func checkGuard(_ context: UInt64?) throws(PortError) {
    switch (guardValue?.value, context) {
    case (nil, nil): return
    case (.some, nil): throw .guarded
    case (let own, let given): if own != given { throw .wrongGuard }
    }
  }

  /// Whether the port may get another holder.
  func checkMovable() throws(PortError) {
    if guardValue?.isImmovable ?? false { throw .guarded }
  }
}
