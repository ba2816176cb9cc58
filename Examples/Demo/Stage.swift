import LinuxSystem
import ServiceKit

/// A private runtime directory with a broker on it, and the programs that play there.
final class Stage {
  let console = Console.standard(program: "demo")
  let broker: ChildProcess
  private let directory: TemporaryDirectory
  private let programs: String

  init() throws {
    programs = try ProcessFacts.executableDirectory()
    directory = try TemporaryDirectory(prefix: "portkit-demo")
    broker = try ChildProcess(
      programs + "/portd", environment: ["XDG_RUNTIME_DIR": directory.path], capturesError: true, diesWithThread: true)
    guard let line = broker.readErrorLine(until: Deadline(after: .seconds(5))), line.contains("listening") else {
      throw CommandFailure(.failed, "portd did not start")
    }
  }

  func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(
      "\(programs)/\(program)", arguments, environment: ["XDG_RUNTIME_DIR": directory.path], diesWithThread: true)
  }

  /// Ends the broker in order. Returns its last line, which holds its accounts.
  func stopBroker() -> String {
    broker.terminate()
    var last = ""
    while let line = broker.readErrorLine(until: Deadline(after: .seconds(5))) { last = line }
    _ = broker.wait(until: Deadline(after: .seconds(5)))
    return last
  }

  func close() {
    broker.kill()
    _ = broker.wait(until: Deadline(after: .seconds(5)))
    directory.remove()
  }
}
