import ServiceKit
import TestSupport
import Testing

/// One specification, four outputs: the whole texts are kept under Tests/Snapshots/oven.
@Suite struct RenderingTests {
  @Test func helpOfTheProgram() throws {
    #expect(try Snapshot.difference(HelpText(Sample.program).text(command: nil), "oven/help.txt") == nil)
  }

  @Test func helpOfACommand() throws {
    #expect(try Snapshot.difference(HelpText(Sample.program).text(command: "bake"), "oven/help-bake.txt") == nil)
  }

  @Test func helpOfAProgramWithoutCommands() throws {
    #expect(try Snapshot.difference(HelpText(Sample.single).text(command: nil), "oven/help-single.txt") == nil)
  }

  @Test func manual() throws {
    #expect(try Snapshot.difference(ManPage(Sample.program).text, "oven/man.1") == nil)
  }

  @Test(arguments: Shell.allCases) func completions(_ shell: Shell) throws {
    let script = Completions(Sample.program).script(for: shell)
    #expect(try Snapshot.difference(script, "oven/completion.\(shell.rawValue)") == nil)
    let single = Completions(Sample.single).script(for: shell)
    #expect(try Snapshot.difference(single, "oven/completion-single.\(shell.rawValue)") == nil)
  }

  @Test func nothingSpeaksOfHiddenCommands() {
    let texts = Shell.allCases.map { Completions(Sample.program).script(for: $0) }
    for text in texts + [HelpText(Sample.program).text(command: nil), ManPage(Sample.program).text] {
      #expect(!text.contains("secret") && text.contains("bake"))
    }
  }

  @Test func helpFitsTheScreen() {
    for name in [nil, "bake", "place"] {
      for line in HelpText(Sample.program).text(command: name).split(separator: "\n") { #expect(line.count <= 80) }
    }
  }

  @Test func manualEscapesWhatMdocWouldRead() {
    var program = Sample.single
    program.root.discussion = [#"a\b. .So what. 'tis -x"#]
    let lines = ManPage(program).text.split(separator: "\n")
    #expect(lines.contains(#"a\eb."#))
    #expect(lines.contains(#"\&.So what."#))
    #expect(lines.contains(#"\&'tis \-x"#))
  }

  @Test func shellQuotes() {
    #expect(Shell.quoted("/run/user/1000/portd") == "/run/user/1000/portd")
    #expect(Shell.quoted("") == "''")
    #expect(Shell.quoted("a b") == "'a b'")
    #expect(Shell.quoted("don't") == #"'don'\''t'"#)
    #expect(Shell.quoted("$(rm)") == "'$(rm)'")
  }
}
