import FoundationEssentials
package import LinuxSystem
package import PortKit

/// A runtime directory of its own, a broker on it, and the processes that play there. Whatever happens, nothing of it
/// stays behind.
///
/// To be used on the thread that made it: the kernel kills the processes when that thread ends.
package final class BrokerStage {
  package let programs: String
  private let temporary: TemporaryDirectory
  private let arguments: [String]
  private var actors: [ChildProcess] = []
  private var running: ChildProcess?
  private var connection: Bootstrap?

  private init(_ arguments: [String]) throws {
    programs = try Products.directory()
    temporary = try TemporaryDirectory(prefix: "portkit-test")
    self.arguments = arguments
  }

  /// Runs `body` with a broker, which was started with `arguments`, then ends every process and removes every file.
  package static func play(_ arguments: [String] = [], _ body: (BrokerStage) throws -> Void) throws {
    try playWithoutBroker(arguments) { stage in
      try stage.startBroker()
      try body(stage)
    }
  }

  package static func playWithoutBroker(
    _ arguments: [String] = [], _ body: (BrokerStage) throws -> Void
  ) throws {
    let stage = try BrokerStage(arguments)
    defer { stage.close() }
    try body(stage)
  }

  private func close() {
    for process in actors + [running].compactMap(\.self) {
      process.kill()
      _ = process.wait(until: Deadline(after: .seconds(10)))
    }
    temporary.remove()
  }

  // MARK: Places

  /// Stands for XDG_RUNTIME_DIR.
  package var directory: String { temporary.path }
  package var address: BrokerAddress { BrokerAddress(path: directory + "/portd/bootstrap.sock") }

  /// This process as a client. Its connection follows the broker through restarts.
  package func bootstrap() throws -> Bootstrap {
    if let connection { return connection }
    let fresh = try Bootstrap.connect(to: address)
    connection = fresh
    return fresh
  }

  // MARK: The broker

  package var broker: ChildProcess {
    guard let running else { preconditionFailure("no broker was started") }
    return running
  }

  /// Returns when it listens.
  /// - Parameter descriptorLimit: what it may open, instead of what this process may.
  package func startBroker(descriptorLimit: Int? = nil) throws {
    let process =
      if let descriptorLimit {
        try ChildProcess(
          "/bin/sh", ["-c", "ulimit -n \(descriptorLimit); exec \"$0\"", programs + "/portd"],
          environment: environment, capturesError: true, diesWithThread: true)
      } else {
        try launch("portd", arguments)
      }
    running = process
    try process.errorLines(through: "portd: listening")
  }

  /// With SIGKILL. Returns what it had logged since it listened.
  @discardableResult
  package func killBroker() throws -> [String] {
    broker.kill()
    return try endOfBroker().errors
  }

  /// In order.
  package func stopBroker() throws -> ProcessResult {
    broker.terminate()
    return try endOfBroker()
  }

  private func endOfBroker() throws -> ProcessResult {
    let result = try broker.result()
    running = nil
    return result
  }

  // MARK: Other processes

  /// A program of the package, with standard error captured.
  /// - Parameter environment: instead of the one that leads to the stage's broker.
  package func start(
    _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil
  ) throws -> ChildProcess {
    let process = try launch(program, arguments, environment: environment)
    actors.append(process)
    return process
  }

  /// The same, from its start to its end.
  package func run(
    _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil
  ) throws -> ProcessResult {
    try launch(program, arguments, environment: environment).result()
  }

  /// PortProbe in one of its roles. Returns when it is ready.
  package func probe(_ words: String...) throws -> ChildProcess {
    let process = try start("PortProbe", words)
    try process.lines(through: "ready")
    return process
  }

  package func portctl(_ words: String...) throws -> ProcessResult { try run("portctl", words) }

  /// What leads to the stage's broker, and nothing that leads to another one.
  package var environment: [String: String] {
    var all = ProcessInfo.processInfo.environment
    for name in ["PORTD_SOCKET", "JOURNAL_STREAM"] { all[name] = nil }
    all["XDG_RUNTIME_DIR"] = directory
    return all
  }

  private func launch(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil
  ) throws -> ChildProcess {
    try ChildProcess(
      programs + "/" + program, arguments, environment: environment ?? self.environment, capturesError: true,
      diesWithThread: true)
  }

  // MARK: Waiting

  /// Whether `condition` comes true within ten seconds. Between two looks lies one request that the broker answers, so
  /// that what it had to do before is done.
  package func settles(_ condition: () throws -> Bool) throws -> Bool {
    let deadline = Deadline(after: .seconds(10))
    while try !condition() {
      if deadline.hasPassed { return false }
      _ = try? bootstrap().listServices(timeout: .seconds(5))
    }
    return true
  }
}
