import LinuxSystem

/// From the words of a command line to values, by the data of a ``ProgramSpec``.
package struct ArgumentParser: Sendable {
  /// What the user asked for.
  package enum Request: Hashable, Sendable {
    case run(ParsedArguments)
    /// Of a command, or of the program.
    case help(command: String?)
    case version
  }

  private let program: ProgramSpec

  package init(_ program: ProgramSpec) { self.program = program }

  /// `words` without the program's own name.
  package func parse(_ words: [String]) throws(UsageError) -> Request {
    var line = CommandLineReading(command: nil)
    if !program.hasCommands {
      try line.take(words, options: program.rootOptions, stopsAtOperand: false)
      return try line.request(program.root, options: program.rootOptions)
    }
    let rest = try line.take(words, options: program.rootOptions, stopsAtOperand: true)
    if let request = line.earlyRequest { return request }
    guard let name = rest.first else { throw UsageError("a command is missing") }
    if name == "help" { return try help(Array(rest.dropFirst())) }
    guard let command = program.command(named: name) else { throw unknownCommand(name) }
    line.command = name
    let options = program.options(of: command)
    try line.take(Array(rest.dropFirst()), options: options, stopsAtOperand: false)
    return try line.request(command, options: options)
  }

  private func help(_ words: [String]) throws(UsageError) -> Request {
    guard let name = words.first, name != "--help", name != "-h" else { return .help(command: nil) }
    guard program.command(named: name) != nil else { throw unknownCommand(name) }
    return .help(command: name)
  }

  private func unknownCommand(_ name: String) -> UsageError {
    let names = program.visibleCommands.map(\.name) + ["help"]
    return UsageError("unknown command -- '\(name)'\(Suggestion.question(name, among: names))")
  }
}

/// What was understood so far of one line.
private struct CommandLineReading {
  var command: String?
  private(set) var earlyRequest: ArgumentParser.Request?
  private var operands: [String] = []
  private var switches: Set<String> = []
  private var values: [String: [ArgumentValue]] = [:]

  init(command: String?) { self.command = command }

  /// The words that were not looked at, when the first operand ends the scan.
  @discardableResult
  mutating func take(
    _ words: [String], options: [OptionSpec], stopsAtOperand: Bool
  ) throws(UsageError) -> [String] {
    let scanned = options.map { ScannedOption(name: $0.name, letter: $0.letter, takesValue: $0.value != nil) }
    let (found, rest) = OptionScanner.scan(words, options: scanned, stopsAtOperand: stopsAtOperand)
    for word in found {
      switch word {
      case .operand(let text): operands.append(text)
      case .option(let index, let text): try take(options[index], text)
      case .unknown(let text, let letter): throw unknown(text, letter, options)
      case .missingValue(let index, _):
        throw UsageError("--\(options[index].name) needs a value", command: command)
      case .unexpectedValue(let index, let text):
        throw UsageError("--\(options[index].name) takes no value -- '\(text)'", command: command)
      }
      // Help answers whatever comes behind it, as long as what stands before it is sound.
      if earlyRequest != nil { return [] }
    }
    if stopsAtOperand { return rest }
    operands += rest
    return []
  }

  private mutating func take(_ option: OptionSpec, _ text: String?) throws(UsageError) {
    guard let value = option.value else {
      switch option.name {
      case ProgramSpec.helpOption.name: earlyRequest = .help(command: command)
      case ProgramSpec.versionOption.name: earlyRequest = .version
      default: switches.insert(option.name)
      }
      return
    }
    values[option.name, default: []].append(try read(text ?? "", value.kind, "--\(option.name)"))
  }

  private func read(_ word: String, _ kind: ValueKind, _ owner: String) throws(UsageError) -> ArgumentValue {
    do throws(ValueFault) {
      return try kind.read(word)
    } catch {
      throw UsageError("\(owner) \(error.need) -- '\(word)'", command: command)
    }
  }

  private func unknown(_ word: String, _ letter: Character?, _ options: [OptionSpec]) -> UsageError {
    if word.hasPrefix("--") {
      let name = String(word.dropFirst(2).prefix { $0 != "=" })
      let beginnings = options.map(\.name).filter { $0.hasPrefix(name) }
      if beginnings.count > 1 {
        let list = beginnings.map { "--\($0)" }.joined(separator: ", ")
        return UsageError("ambiguous option -- '\(word)' could be \(list)", command: command)
      }
      let question = Suggestion.question(name, among: options.map(\.name), prefix: "--")
      return UsageError("unknown option -- '\(word)'\(question)", command: command)
    }
    if Double(word) != nil {
      return UsageError(
        "'\(word)' was taken for an option; put '--' before the operands when one is negative", command: command)
    }
    let culprit = letter.map { word.count > 2 ? "-\($0)' in '\(word)" : word } ?? word
    return UsageError("unknown option -- '\(culprit)'", command: command)
  }

  /// The finished line: each operand has its word, each option its value or its default.
  mutating func request(_ spec: CommandSpec, options: [OptionSpec]) throws(UsageError) -> ArgumentParser.Request {
    if let earlyRequest { return earlyRequest }
    try takeOperands(spec)
    for option in options {
      guard let value = option.value, values[option.name] == nil else { continue }
      values[option.name] = []
      guard let word = value.defaultWord else { continue }
      values[option.name] = [try read(word, value.kind, "--\(option.name)")]
    }
    let names = options.filter { $0.value == nil }.map(\.name)
    let states = Dictionary(uniqueKeysWithValues: names.map { ($0, switches.contains($0)) })
    return .run(ParsedArguments(command: command, values: values, switches: states))
  }

  private mutating func takeOperands(_ spec: CommandSpec) throws(UsageError) {
    var words = operands[...]
    for operand in spec.operands {
      let count = operand.count == .oneOrMore ? words.count : min(1, words.count)
      if count == 0, operand.count != .optional { throw UsageError("\(operand.name) is missing", command: command) }
      var read: [ArgumentValue] = []
      for word in words.prefix(count) { read.append(try self.read(word, operand.kind, operand.name)) }
      values[operand.name] = read
      words = words.dropFirst(count)
    }
    if let extra = words.first { throw UsageError("one operand too many -- '\(extra)'", command: command) }
  }
}
