import LinuxSystem
import ServiceKit

/// The listening socket, and the proof that no other broker serves the same directory.
///
/// A lock file decides who the broker is: it is held as long as the process lives, so a stale socket of a killed broker
/// never keeps the next one from starting. The socket is made under another name and moved into place when it listens:
/// clients that watch the directory see it only when a connection can succeed.
struct BrokerSocket: ~Copyable {
  let listener: Descriptor
  private let lock: Descriptor
  private let path: String

  init(in directory: RuntimeDirectory) throws {
    try directory.ensure()
    path = directory.socketPath
    lock = try Self.takeLock(directory.path + "/portd.lock")
    listener = try Self.listen(at: path, in: directory.path)
  }

  /// Takes the name away; the lock goes with the process.
  consuming func remove() { removeFile(path) }

  private static func takeLock(_ path: String) throws -> Descriptor {
    do {
      guard let lock = try FileLock.take(path) else {
        throw CommandFailure(.failed, "another portd serves this directory (it holds \(path))")
      }
      return lock
    } catch let error as Errno {
      throw CommandFailure(.failed, "\(path): \(error)")
    }
  }

  private static func listen(at path: String, in directory: String) throws -> Descriptor {
    let draft = directory + "/.new"
    do {
      removeFile(draft)
      let listener = try NamedSocket.listen(at: draft)
      try moveFile(draft, to: path)
      return listener
    } catch let error as Errno {
      throw CommandFailure(.failed, "\(path): \(error)")
    }
  }
}
