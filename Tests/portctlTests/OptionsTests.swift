import ServiceKit
import TestSupport
import Testing

@testable import portctl

/// What users see of the command line, as whole texts under Tests/Snapshots/portctl.
@Suite struct OptionsTests {
  private let program = Options.program

  @Test func theDataIsSound() { #expect(program.problems() == []) }

  @Test(arguments: [nil, "tap", "swipe", "pinch", "key", "services", "windows", "completion"])
  func help(_ command: String?) throws {
    let text = HelpText(program).text(command: command)
    let name = "portctl/help\(command.map { "-\($0)" } ?? "").txt"
    #expect(try Snapshot.difference(text, name) == nil)
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test func manual() throws {
    #expect(try Snapshot.difference(ManPage(program).text, "portctl/portctl.1") == nil)
  }

  @Test(arguments: Shell.allCases) func completions(_ shell: Shell) throws {
    let script = Completions(program).script(for: shell)
    #expect(try Snapshot.difference(script, "portctl/completion.\(shell.rawValue)") == nil)
  }

  @Test func examplesAreAccepted() throws {
    for example in (program.commands + [program.root]).flatMap(\.examples) {
      let words = example.line.split(separator: " ").map(String.init)
      guard words.first == "portctl" else { continue }
      #expect(throws: Never.self, "\(example.line)") { try ArgumentParser(program).parse(Array(words.dropFirst())) }
    }
  }

  private func parse(_ line: String) throws -> ParsedArguments? {
    let request = try ArgumentParser(program).parse(line.split(separator: " ").map(String.init))
    if case .run(let arguments) = request { return arguments }
    return nil
  }

  @Test func gesturesHaveTheirValues() throws {
    let tap = try #require(try parse("tap 10 20.5 --count 2"))
    #expect(tap.number("X") == 10 && tap.number("Y") == 20.5 && tap.integer("count") == 2)
    #expect(tap.duration("hold") == .milliseconds(50) && tap.duration("interval") == .milliseconds(100))
    #expect(tap.duration("timeout") == .seconds(5))
    let swipe = try #require(try parse("swipe --duration 2s 1 2 -- -3 4"))
    #expect(swipe.number("X2") == -3 && swipe.duration("duration") == .seconds(2) && swipe.integer("steps") == 20)
    let pinch = try #require(try parse("pinch 1 2 0.5"))
    #expect(pinch.number("SCALE") == 0.5 && pinch.number("radius") == 100)
    #expect(try parse("key a 30 KEY_ENTER")?.texts("KEY") == ["a", "30", "KEY_ENTER"])
  }

  @Test func hiddenButWorking() throws { #expect(try parse("man")?.command == "man") }
}
