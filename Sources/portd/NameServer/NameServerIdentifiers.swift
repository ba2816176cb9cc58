/// One client's connection to the name server. Chosen by the shell, never used again.
struct SessionID: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64
}

/// The port behind a name. Chosen by the shell for each check-in and registration, never used again.
struct ServiceID: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64
}

/// One request that awaits its answer. Chosen by the shell, never used again.
struct RequestID: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64
}

/// How a request to the name server ends, other than by a right.
enum NameStatus: Hashable, Sendable {
  case ok
  /// Nobody has the name.
  case unknownService
  /// The name's present port lives.
  case serviceActive
  /// The name is somebody else's.
  case notPrivileged
  /// One of the name server's tables has no room for it.
  case limitReached
  /// Nobody took the name until the look-up's deadline.
  case timedOut
}
