import LinuxSystem
import ServiceKit
import Testing

@Suite struct CommandLineToolTests {
  private let recorder = Recorder()

  private func run(_ words: String..., body: (ParsedArguments) throws -> Void = { _ in }) -> ServiceKit.ExitStatus {
    CommandLineTool(Sample.program, console: recorder.console).run(
      words, explaining: { $0 is Unforeseen ? CommandFailure(.timedOut, "too late") : nil }, body)
  }

  private struct Unforeseen: Error {}

  @Test func aWrongLineIsOneLineAndAPointer() {
    let status = run("bake", "--loaves", "x", "rye")
    #expect(status == .usage)
    #expect(
      recorder.talk == """
        oven: bake: --loaves needs a whole number from 1 to 9 -- 'x'
        Try 'oven bake --help'

        """)
    #expect(recorder.data == "")
  }

  @Test func withoutACommandTheProgramsHelpIsNamed() {
    #expect(run() == .usage)
    #expect(recorder.talk == "oven: a command is missing\nTry 'oven --help'\n")
  }

  @Test func wordsCannotBreakTheLine() {
    #expect(run("a\nb\u{1b}[2J") == .usage)
    #expect(recorder.talk.split(separator: "\n").count == 2)
    #expect(recorder.talk.hasPrefix("oven: unknown command -- 'a\\nb\\u{1b}[2J'"))
  }

  @Test func helpAndVersionAreData() {
    #expect(run("--version") == .done)
    #expect(recorder.data == "oven 1.2.3\n")
    #expect(run("help", "bake") == .done)
    #expect(recorder.data.hasSuffix(HelpText(Sample.program).text(command: "bake")))
    #expect(recorder.talk == "")
  }

  @Test func theBodyDecides() {
    var flour: String?
    let status = run("bake", "rye", body: { flour = $0.text("FLOUR") })
    #expect(status == .done && flour == "rye")
    #expect(recorder.talk == "")
    #expect(run("bake", "rye", body: { _ in throw CommandFailure(.notPermitted, "no fire") }) == .notPermitted)
    #expect(recorder.talk == "oven: bake: no fire\n")
  }

  @Test func foreignErrorsAreExplained() {
    #expect(run("bake", "rye", body: { _ in throw Unforeseen() }) == .timedOut)
    #expect(run("bake", "rye", body: { _ in throw Errno.brokenPipe }) == .failed)
    #expect(recorder.talk == "oven: bake: too late\noven: bake: Broken pipe\n")
  }

  @Test func theBodyMayFindTheLineWrong() {
    #expect(run("bake", "rye", body: { _ in throw UsageError("not today") }) == .usage)
    #expect(recorder.talk == "oven: bake: not today\nTry 'oven bake --help'\n")
  }
}
