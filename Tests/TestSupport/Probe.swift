package import LinuxSystem
import Synchronization

/// A PortProbe process that connects to a socket of the test.
package final class Probe {
  package let process: ChildProcess
  private let directory: TemporaryDirectory
  private let connection: Mutex<PacketSocket?>

  package init(_ role: String, _ arguments: [String] = []) throws {
    directory = try TemporaryDirectory(prefix: "probe")
    let path = directory.path + "/socket"
    let listener = try NamedSocket.listen(at: path)
    process = try ChildProcess(try Products.directory() + "/PortProbe", [role, path] + arguments)
    let number = listener.number
    guard try waitForReadiness(of: number, .readable, until: Deadline(after: .seconds(20))),
      let accepted = try NamedSocket.accept(from: listener)
    else { throw StageError.noLine("a connection", seen: []) }
    connection = Mutex(consume accepted)
  }

  /// The test's end of the connection, once.
  package func takeConnection() -> PacketSocket? { connection.withLock { $0.take() } }

  deinit { directory.remove() }
}
