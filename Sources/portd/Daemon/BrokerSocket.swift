import LinuxSystem
import ServiceKit

/// The listening socket, and the proof that no other broker serves the same directory.
///
/// A lock file decides who the broker is: it is held as long as the process lives, so a stale socket of a killed broker
/// never keeps the next one from starting. The socket is made under another name and moved into place when it listens:
/// clients that watch the directory see it only when a connection can succeed.
final class BrokerSocket {
  let listener: Descriptor
  private let lock: Descriptor
  private let path: String
  private let inode: UInt64?

  init(in directory: RuntimeDirectory) throws {
    let lockPath = directory.path + "/portd.lock"
    if directory.socketPath == lockPath {
      throw CommandFailure(.usage, "the socket cannot have the name of the lock -- '\(lockPath)'")
    }
    try directory.ensure()
    let lock = try Self.takeLock(lockPath)
    listener = try Self.listen(at: directory.socketPath)
    self.lock = lock
    path = directory.socketPath
    inode = fileInode(of: path)
  }

  /// Takes the name away unless another broker has it by now, whose directory was made anew. The lock goes with the
  /// process.
  func remove() {
    if let inode, fileInode(of: path) == inode { removeFile(path) }
  }

  private static func takeLock(_ path: String) throws(CommandFailure) -> Descriptor {
    let lock = try explaining(path) { () throws(Errno) in try FileLock.take(path) }
    guard let lock else {
      throw CommandFailure(.failed, "another portd serves this directory (it holds \(path))")
    }
    return lock
  }

  private static func listen(at path: String) throws(CommandFailure) -> Descriptor {
    if let facts = try? FileFacts(of: path), facts.kind != .socket {
      throw CommandFailure(.failed, "\(path) is there and is no socket; move it away first")
    }
    // Not longer than the name that it stands for, which may be as long as names can be.
    let draft = String(path.dropLast()) + (path.hasSuffix("~") ? "-" : "~")
    removeFile(draft)
    return try explaining(path) { () throws(Errno) in
      let listener = try NamedSocket.listen(at: draft)
      try moveFile(draft, to: path)
      return listener
    }
  }

  private static func explaining<Result: ~Copyable>(
    _ path: String, _ body: () throws(Errno) -> Result
  ) throws(CommandFailure) -> Result {
    do { return try body() } catch { throw CommandFailure(.failed, "\(path): \(error)") }
  }
}
