import HIDKit
import LoopCore
import PortKit
import ServiceKit

@main struct Main {
  static func main() {
    CommandLineTool(Options.program).main(explaining: explain) { arguments in
      guard let level = LogLevel(named: arguments.text("log-level")!) else { preconditionFailure("a checked choice") }
      let log = Log(program: "portd", level: level)
      let address = try arguments.text("socket").map(BrokerAddress.init(path:)) ?? .fromEnvironment()
      let directory = try RuntimeDirectory(forSocketAt: address.path)
      let daemon = try Daemon(display: display(arguments), log: log, loop: .current)
      try daemon.run(in: directory)
    }
  }

  private static func display(_ arguments: ParsedArguments) -> HIDSize {
    let size = arguments.size("display")!
    return HIDSize(width: Double(size.width), height: Double(size.height))
  }

  private static func explain(_ error: any Error) -> CommandFailure? {
    switch error {
    case BootstrapError.noRuntimeDirectory:
      CommandFailure(
        ExitStatus.Daemon.notConfigured, "no place for the socket: set XDG_RUNTIME_DIR, or give --socket PATH")
    default: nil
    }
  }
}
