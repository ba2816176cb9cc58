import LinuxSystem
import Testing

@Suite struct OptionScannerTests {
  private let options = [
    ScannedOption(name: "all", letter: "a", takesValue: false),
    ScannedOption(name: "file", letter: "f", takesValue: true),
    ScannedOption(name: "find", letter: nil, takesValue: false),
  ]

  private func scan(_ words: String...) -> [ScannedWord] {
    OptionScanner.scan(words, options: options, stopsAtOperand: false).words
  }

  @Test func formsOfOptions() {
    #expect(scan("-a", "--all") == [.option(0, value: nil), .option(0, value: nil)])
    #expect(scan("-fx", "-f", "y") == [.option(1, value: "x"), .option(1, value: "y")])
    #expect(scan("-afx") == [.option(0, value: nil), .option(1, value: "x")])
    #expect(scan("--file=x", "--file", "y", "--file=") == ["x", "y", ""].map { .option(1, value: $0) })
    #expect(scan("--al") == [.option(0, value: nil)])
  }

  @Test func operandsKeepTheirPlaces() {
    #expect(
      scan("x", "-a", "-", "", "é") == [.operand("x"), .option(0, value: nil)] + ["-", "", "é"].map { .operand($0) })
    let (words, rest) = OptionScanner.scan(["x", "-a", "--", "-b", "y"], options: options, stopsAtOperand: false)
    #expect(words == [.operand("x"), .option(0, value: nil)])
    #expect(rest == ["-b", "y"])
  }

  @Test func theFirstOperandCanEndTheScan() {
    let (words, rest) = OptionScanner.scan(["-a", "x", "-q", "--all"], options: options, stopsAtOperand: true)
    #expect(words == [.option(0, value: nil)])
    #expect(rest == ["x", "-q", "--all"])
  }

  @Test func theFirstFaultEndsTheScan() {
    #expect(scan("-q", "-a") == [.unknown(word: "-q", letter: "q")])
    #expect(scan("x", "-aq") == [.operand("x"), .option(0, value: nil), .unknown(word: "-aq", letter: "q")])
    #expect(scan("--none=1") == [.unknown(word: "--none=1", letter: nil)])
    #expect(scan("--fi") == [.unknown(word: "--fi", letter: nil)])
    #expect(scan("--all=1") == [.unexpectedValue(0, word: "--all=1")])
    #expect(scan("--file") == [.missingValue(1, word: "--file")])
    #expect(scan("-af") == [.option(0, value: nil), .missingValue(1, word: "-af")])
  }

  @Test func emptyLines() {
    #expect(scan() == [])
    #expect(OptionScanner.scan([], options: [], stopsAtOperand: true).rest == [])
  }
}
