import ServiceKit
import Testing

@Suite struct ArgumentParserTests {
  private func parse(_ words: String..., by program: ProgramSpec = Sample.program) throws(UsageError) -> ParsedArguments
  {
    guard case .run(let arguments) = try ArgumentParser(program).parse(words) else {
      preconditionFailure("not a command to run: \(words)")
    }
    return arguments
  }

  /// The message of the usage error; nil when the line was accepted.
  private func fault(_ words: String..., by program: ProgramSpec = Sample.program) -> String? {
    do throws(UsageError) {
      _ = try ArgumentParser(program).parse(words)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func defaultsStandForAbsentOptions() throws {
    let arguments = try parse("bake", "rye")
    #expect(arguments.command == "bake")
    #expect(arguments.text("FLOUR") == "rye")
    #expect(arguments.duration("time") == .seconds(2))
    #expect(arguments.integer("loaves") == 1)
    #expect(arguments.size("tin") == nil)
    #expect(arguments.text("socket") == nil)
    #expect(!arguments.isSet("steam"))
  }

  @Test func valuesFollowInEveryForm() throws {
    let arguments = try parse("bake", "-st300ms", "--loaves=3", "wheat", "--tin", "20x30", "--socket", "/s", "--json")
    #expect(arguments.duration("time") == .milliseconds(300))
    #expect(arguments.integer("loaves") == 3)
    #expect(arguments.size("tin").map { [$0.width, $0.height] } == [20, 30])
    #expect(arguments.isSet("steam") && arguments.isSet("json"))
    #expect(arguments.text("socket") == "/s")
    #expect(arguments.text("FLOUR") == "wheat")
  }

  @Test func commonOptionsStandBeforeTheCommandToo() throws {
    let arguments = try parse("--socket", "/first", "--json", "bake", "--socket=/second", "rye")
    #expect(arguments.isSet("json"))
    #expect(arguments.text("socket") == "/second", "the later word counts")
  }

  @Test func aLongNameMayBeCutShort() throws {
    #expect(try parse("bake", "rye", "--loa", "4").integer("loaves") == 4)
    #expect(fault("bake", "rye", "--t=1") == "ambiguous option -- '--t=1' could be --time, --tin")
  }

  @Test func twoDashesEndTheOptions() throws {
    let arguments = try parse("place", "--", "-1.5", "--json", "-x")
    #expect(arguments.number("X") == -1.5)
    #expect(arguments.texts("LOAF") == ["--json", "-x"])
    #expect(!arguments.isSet("json"))
  }

  @Test func aNegativeNumberNeedsTheDashes() {
    #expect(
      fault("place", "-5", "a") == "'-5' was taken for an option; put '--' before the operands when one is negative")
    #expect(fault("place", "-.5", "a")?.contains("'--'") == true)
  }

  @Test func operandsAreCounted() {
    #expect(fault("bake") == "FLOUR is missing")
    #expect(fault("bake", "rye", "wheat") == "one operand too many -- 'wheat'")
    #expect(fault("place", "1") == "LOAF is missing")
    #expect(fault("place", "1", "a", "b", "c") == nil)
    #expect(fault(by: Sample.single) == nil)
    #expect(fault("cup", "bowl", by: Sample.single) == "one operand too many -- 'bowl'")
  }

  @Test func faultsNameTheOffendingWord() {
    #expect(fault("bake", "rye", "--loaves", "x") == "--loaves needs a whole number from 1 to 9 -- 'x'")
    #expect(fault("bake", "rye", "--loaves", "10")?.hasSuffix("-- '10'") == true)
    #expect(fault("bake", "rye", "--time=-1")?.hasSuffix("-- '-1'") == true)
    #expect(fault("bake", "oat") == "FLOUR needs one of rye, wheat -- 'oat'")
    #expect(fault("bake", "rye", "--json=yes") == "--json takes no value -- '--json=yes'")
    #expect(fault("bake", "rye", "--time") == "--time needs a value")
    #expect(fault("bake", "rye", "-t") == "--time needs a value")
    #expect(fault("bake", "rye", "-sq") == "unknown option -- '-q' in '-sq'")
    #expect(fault("bake", "rye", "-q") == "unknown option -- '-q'")
    #expect(fault("bake", "rye", "--") == nil)
    #expect(fault("") == "unknown command -- ''")
  }

  @Test func misspeltNamesAreSuggested() {
    #expect(fault("baek") == "unknown command -- 'baek'; did you mean 'bake'?")
    #expect(fault("secre") == "unknown command -- 'secre'", "a hidden command is not spoken of")
    #expect(fault("bake", "rye", "--laoves=2") == "unknown option -- '--laoves=2'; did you mean '--loaves'?")
    #expect(fault("quux") == "unknown command -- 'quux'")
    #expect(fault() == "a command is missing")
  }

  @Test func helpAndVersionAreRequests() throws {
    let parser = ArgumentParser(Sample.program)
    #expect(try parser.parse(["--help"]) == .help(command: nil))
    #expect(try parser.parse(["-h"]) == .help(command: nil))
    #expect(try parser.parse(["help"]) == .help(command: nil))
    #expect(try parser.parse(["help", "bake"]) == .help(command: "bake"))
    #expect(try parser.parse(["bake", "--help"]) == .help(command: "bake"))
    #expect(try parser.parse(["bake", "-h", "--nonsense"]) == .help(command: "bake"))
    #expect(try parser.parse(["--version", "bake"]) == .version)
    #expect(try ArgumentParser(Sample.single).parse(["--version"]) == .version)
    #expect(fault("help", "baek")?.contains("'bake'") == true)
  }

  @Test func theCommandOfAFaultIsKnown() {
    #expect(throws: UsageError("FLOUR is missing", command: "bake")) {
      try ArgumentParser(Sample.program).parse(["bake"])
    }
  }

  @Test func aParseLeavesNothingBehind() throws {
    for _ in 0..<3 {
      #expect(fault("bake", "-s", "-q") != nil)
      #expect(try parse("bake", "-s", "rye").isSet("steam"))
      #expect(try parse("place", "1", "a").texts("LOAF") == ["a"])
    }
  }

  @Test func theSamplesAreSound() {
    #expect(Sample.program.problems() == [])
    #expect(Sample.single.problems() == [])
  }

  @Test func unsoundDataIsFound() {
    var program = Sample.program
    program.groups[0].commands[0].options.append(OptionSpec("json", "N", .integer(1...2), default: "3", "Ends."))
    program.groups[0].commands.append(program.groups[0].commands[1])
    program.groups[0].commands[1].operands.append(OperandSpec("Y", .text, ""))
    let problems = program.problems()
    #expect(problems.contains("bake: two options --json"))
    #expect(problems.contains("bake: --json has a default that it would refuse"))
    #expect(problems.contains("bake: not a phrase: 'Ends.'"))
    #expect(problems.contains("two commands place"))
    #expect(problems.contains("place: LOAF must be the last operand"))
  }
}
