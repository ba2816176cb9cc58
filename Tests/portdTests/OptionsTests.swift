import ServiceKit
import TestSupport
import Testing

@testable import portd

/// What users see of the daemon's command line, as whole texts under Tests/Snapshots/portd.
@Suite struct OptionsTests {
  private let program = Options.program

  @Test func theDataIsSound() { #expect(program.problems() == []) }

  @Test func help() throws {
    let text = HelpText(program).text(command: nil)
    #expect(try Snapshot.difference(text, "portd/help.txt") == nil)
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test func manual() throws {
    #expect(try Snapshot.difference(ManPage(program).text, "portd/portd.8") == nil)
  }

  @Test func values() throws {
    let parser = ArgumentParser(program)
    guard case .run(let plain) = try parser.parse([]) else { preconditionFailure("nothing to run") }
    #expect(plain.size("display").map { [$0.width, $0.height] } == [1024, 768])
    #expect(plain.text("log-level").flatMap(LogLevel.init(named:)) == .notice)
    #expect(plain.text("socket") == nil)
    guard case .run(let set) = try parser.parse(["--display=1x16384", "--log-level", "debug", "--socket", "/s/x"])
    else {
      preconditionFailure("nothing to run")
    }
    #expect(set.size("display").map { [$0.width, $0.height] } == [1, 16384])
    #expect(set.text("log-level") == "debug" && set.text("socket") == "/s/x")
    #expect(throws: UsageError.self) { try parser.parse(["--display", "0x5"]) }
    #expect(throws: UsageError("one operand too many -- 'now'")) { try parser.parse(["now"]) }
  }
}
