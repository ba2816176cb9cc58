import Glibc
import LinuxSystem

/// A program from its words to its exit status: answers `--help` and `--version`, runs the body for the rest, and turns
/// every error into one line on standard error and a number.
package struct CommandLineTool: Sendable {
  package let program: ProgramSpec
  package let console: Console

  /// The process's own streams unless a console is given.
  package init(_ program: ProgramSpec, console: Console? = nil) {
    self.program = program
    self.console = console ?? .standard(program: program.name)
  }

  /// Runs with the process's own words and ends the process.
  package func main(
    explaining explain: (any Error) -> CommandFailure? = { _ in nil }, _ body: (ParsedArguments) throws -> Void
  ) -> Never {
    StandardStream.fillGaps()
    ProcessFacts.ignoreBrokenPipes()
    // Each right is a descriptor; where the limit cannot be raised, the program does with what it has.
    _ = try? raiseDescriptorLimit()
    exit(run(Array(CommandLine.arguments.dropFirst()), explaining: explain, body).rawValue)
  }

  /// `explain` translates errors of other modules; what it leaves is a plain failure with the error's own text.
  package func run(
    _ words: [String], explaining explain: (any Error) -> CommandFailure? = { _ in nil },
    _ body: (ParsedArguments) throws -> Void
  ) -> ExitStatus {
    var command: String?
    do {
      switch try ArgumentParser(program).parse(words) {
      case .help(let name): console.data(HelpText(program).text(command: name))
      case .version: console.data(HelpText(program).version)
      case .run(let arguments):
        command = arguments.command
        try body(arguments)
      }
      return .done
    } catch let error as UsageError {
      return refuse(error, command: error.command ?? command)
    } catch let error as any ReportableError {
      return report(error, command)
    } catch {
      return report(explain(error) ?? CommandFailure(.failed, "\(error)"), command)
    }
  }

  /// A body may throw a ``UsageError`` as well, for what the data cannot say.
  private func refuse(_ error: UsageError, command: String?) -> ExitStatus {
    console.talk(prefix(command) + error.message)
    console.talk("Try '\([program.name, command, "--help"].compactMap(\.self).joined(separator: " "))'")
    return .usage
  }

  private func report(_ error: any ReportableError, _ command: String?) -> ExitStatus {
    console.talk(prefix(command) + error.report)
    return error.exitStatus
  }

  private func prefix(_ command: String?) -> String {
    ([program.name] + (command.map { [$0] } ?? [])).map { "\($0): " }.joined()
  }
}
