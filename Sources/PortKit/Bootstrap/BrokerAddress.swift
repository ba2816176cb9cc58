import LinuxSystem

/// Where the broker listens.
public struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
  /// The socket's path.
  public let path: String

  public var description: String { path }

  /// Does not look whether something is there. At most 107 bytes, or connecting fails.
  public init(path: String) { self.path = path }

  /// `$PORTD_SOCKET`, which set-id programs ignore, else `$XDG_RUNTIME_DIR/portd/bootstrap.sock`.
  public static func fromEnvironment() throws(BootstrapError) -> BrokerAddress {
    if !ProcessFacts.isSecureExecution, let path = ProcessFacts.environment("PORTD_SOCKET"), !path.isEmpty {
      return BrokerAddress(path: path)
    }
    guard let directory = ProcessFacts.environment("XDG_RUNTIME_DIR"), !directory.isEmpty else {
      throw .noRuntimeDirectory
    }
    return BrokerAddress(path: directory + "/portd/bootstrap.sock")
  }

  /// The directory in which the socket appears when the broker starts.
  package var directory: String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let joined = parts.joined(separator: "/")
    return joined.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : joined
  }
}
