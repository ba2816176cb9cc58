package import LinuxSystem

/// The directory that holds the broker's socket. Whoever can write there can stand in for the broker, so it must be
/// a real directory, this user's own, and closed to all others. There is no other place to fall back to.
package struct RuntimeDirectory: Hashable, Sendable {
  package let path: String
  package let socketPath: String

  /// The directory of a socket; nothing is looked at yet. The path must be absolute: a daemon's working directory
  /// means nothing to its clients.
  package init(forSocketAt socketPath: String) throws(RuntimeDirectoryError) {
    guard socketPath.hasPrefix("/") else { throw .notAbsolute(socketPath) }
    guard socketPath.utf8.count <= Limits.socketPathBytesMax else { throw .tooLong(socketPath) }
    let end = socketPath.lastIndex(of: "/") ?? socketPath.startIndex
    let name = socketPath[end...].dropFirst()
    guard !name.isEmpty, name != ".", name != ".." else { throw .notAFileName(socketPath) }
    self.path = end == socketPath.startIndex ? "/" : String(socketPath[..<end])
    self.socketPath = socketPath
  }

  /// Makes the directory when it is missing, else checks it without following a link at its end.
  package func ensure() throws(RuntimeDirectoryError) {
    let facts: FileFacts
    do throws(Errno) {
      _ = try makePrivateDirectory(path)
      facts = try FileFacts(of: path)
    } catch {
      throw error == .noSuchFile ? .noParent(path) : .system(path, error)
    }
    if let fault = Self.fault(of: facts, path: path, user: ProcessFacts.effectiveUser) { throw fault }
  }

  /// The policy alone: nil when the directory may hold the socket.
  static func fault(of facts: FileFacts, path: String, user: UInt32) -> RuntimeDirectoryError? {
    switch facts.kind {
    case .directory: break
    case .link, .socket, .other: return .notADirectory(path, isLink: facts.kind == .link)
    }
    if facts.owner != user { return .foreign(path, owner: facts.owner, user: user) }
    // Set-group-id comes from the parent and opens nothing; the nine bits decide.
    return facts.mode & 0o777 == 0o700 ? nil : .open(path, mode: facts.mode)
  }
}

/// Why a directory may not hold the broker's socket, with the command that mends it.
package enum RuntimeDirectoryError: ReportableError, Hashable {
  case notAbsolute(String)
  case tooLong(String)
  case notAFileName(String)
  case noParent(String)
  case notADirectory(String, isLink: Bool)
  case foreign(String, owner: UInt32, user: UInt32)
  case open(String, mode: UInt32)
  case system(String, Errno)

  package var exitStatus: ExitStatus {
    switch self {
    case .notAbsolute, .tooLong, .notAFileName: .usage
    case .noParent: ExitStatus.Daemon.notConfigured
    case .notADirectory, .foreign, .open: ExitStatus.Daemon.noPermission
    case .system(_, let error):
      error == .permissionDenied || error == .notPermitted ? ExitStatus.Daemon.noPermission : .failed
    }
  }

  package var report: String {
    switch self {
    case .notAbsolute(let path): "the socket's path must begin with '/' -- '\(path)'"
    case .notAFileName(let path): "the socket's path must end with a file name -- '\(path)'"
    case .tooLong(let path):
      "the socket's path has \(path.utf8.count) bytes, \(Limits.socketPathBytesMax) fit -- '\(path)'"
    case .noParent(let path):
      "\(path) cannot be made, its parent is missing; make it with: mkdir -p -m 700 \(Shell.quoted(path))"
    case .notADirectory(let path, let isLink):
      "\(path) is \(isLink ? "a symbolic link" : "not a directory"); move it away with: "
        + "mv \(Shell.quoted(path)) \(Shell.quoted(path + ".old"))"
    case .foreign(let path, let owner, let user):
      "\(path) belongs to user \(owner), not to user \(user); "
        + (Self.isOurs(path) ? "give it back with: sudo chown \(user) \(Shell.quoted(path))" : Self.subdirectory(path))
    case .open(let path, let mode):
      "\(path) has mode \(String(mode, radix: 8)) instead of 700; "
        + (Self.isOurs(path) ? "mend it with: chmod 700 \(Shell.quoted(path))" : Self.subdirectory(path))
    case .system(let path, let error): "\(path): \(error)"
    }
  }

  /// By its name: nobody wants the advice to close `/tmp` or a home directory to the rest of the system.
  private static func isOurs(_ path: String) -> Bool { path.hasSuffix("/portd") }

  private static func subdirectory(_ path: String) -> String {
    let own = path == "/" ? "/portd" : path + "/portd"
    return "put the socket into a directory of its own, made with: mkdir -m 700 \(Shell.quoted(own))"
  }
}
