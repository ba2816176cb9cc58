/// Why the name server could not be asked, or what it answered. The codes of Apple's bootstrap.h stand behind the cases
/// that have one.
public enum BootstrapError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Neither a path, nor PORTD_SOCKET, nor XDG_RUNTIME_DIR says where the broker is.
  case noRuntimeDirectory
  /// Nothing accepts connections at this path; the reason is the kernel's.
  case notReachable(path: String, reason: String)
  /// The listening socket belongs to somebody who is neither this user nor root.
  case untrustedBroker(path: String, userID: UInt32)
  /// (1102)
  case unknownService(ServiceName)
  /// (1103)
  case serviceActive(ServiceName)
  /// A waiting look-up ended without the name. (Mach has no such look-up.)
  case timedOut(ServiceName)
  /// The broker's limits for one client.
  case limitReached(String)
  /// The broker did not understand the request, or its answer made no sense here.
  case protocolMismatch(String)
  /// The connection broke while the answer was awaited.
  case brokerLost
  /// The request, or the making of a port for it, failed as a port operation.
  case port(PortError)

  public var description: String {
    switch self {
    case .noRuntimeDirectory: "no broker address: XDG_RUNTIME_DIR and PORTD_SOCKET are not set"
    case .notReachable(let path, let reason): "no broker at \(path): \(reason)"
    case .untrustedBroker(let path, let userID): "the socket \(path) belongs to user \(userID): not trusted"
    case .unknownService(let name): "no service named \"\(name)\""
    case .serviceActive(let name): "the name \"\(name)\" belongs to a living service"
    case .timedOut(let name): "\"\(name)\" did not appear in time"
    case .limitReached(let what): "the broker refused: \(what)"
    case .protocolMismatch(let what): "the broker's answer is not understood: \(what)"
    case .brokerLost: "the connection to the broker broke"
    case .port(let error): error.description
    }
  }
}
