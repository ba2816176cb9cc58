// The main job on real processes: a broker, two clients side by side, touches and keys injected from outside, and a
// client that is killed with a finger on it. Prints every event with its hops, then compares everybody's accounts.
import LinuxSystem
import ServiceKit

@main struct Demo {
  static func main() {
    CommandLineTool(program).main { _ in
      let stage = try Stage()
      defer { stage.close() }
      let script = Script(stage)
      try script.play()
      let verdict = try script.settle()
      stage.console.data(verdict.text + "\n")
      if !verdict.isGood { throw CommandFailure(.failed, "the accounts do not agree") }
    }
  }

  static let program = ProgramSpec(
    version: ProductVersion.current,
    root: CommandSpec("Demo", "Show touches that cross processes and wake run loops"),
    exitStatuses: ExitStatus.toolTable, manual: .init(section: 1, date: ProductVersion.manualDate))
}
