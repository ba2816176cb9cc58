import HIDKit
import PortKit
import ServiceKit

@main struct Main {
  static func main() {
    let tool = CommandLineTool(Options.program)
    tool.main(explaining: Failures.explain) { arguments in
      switch arguments.command {
      case "tap", "swipe", "pinch", "key":
        try InputCommand(arguments, tool.console).run()
      case "services": try ListCommand(arguments, tool.console).services()
      case "windows": try ListCommand(arguments, tool.console).windows()
      case "completion":
        tool.console.data(Completions(Options.program).script(for: Shell(rawValue: arguments.text("SHELL")!)!))
      case "man": tool.console.data(ManPage(Options.program).text)
      case let command: preconditionFailure("command \(command ?? "none") has no code")
      }
    }
  }
}
