/// The text of `--help`: purpose, usage, commands or operands, options, examples, where to read on.
package struct HelpText: Sendable {
  private let program: ProgramSpec

  package init(_ program: ProgramSpec) { self.program = program }

  /// Of a command; of the program when nil. Lines are at most `Limits.helpWidth` wide; the last one is ended.
  package func text(command name: String?) -> String {
    let command = name.flatMap { program.command(named: $0) }
    let sections = command.map(sections(of:)) ?? programSections
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  package var version: String { "\(program.name) \(program.version)\n" }

  /// "portctl tap [OPTION…] X Y"
  static func usage(_ program: ProgramSpec, _ command: CommandSpec?) -> String {
    var words = [program.name]
    if let command { words.append(command.name) }
    words.append("[OPTION…]")
    if command == nil, program.hasCommands { words += ["COMMAND", "[ARGUMENT…]"] }
    words += (command ?? program.root).operands.map(\.usage)
    return words.joined(separator: " ")
  }

  /// "-h, --help", "--hold S"
  static func synopsis(_ option: OptionSpec) -> String {
    let letter = option.letter.map { "-\($0), " } ?? "    "
    return letter + "--\(option.name)" + (option.value.map { " \($0.placeholder)" } ?? "")
  }

  private var programSections: [[String]] {
    let root = program.root
    var sections = opening(nil, root)
    for group in program.visibleGroups {
      let rows = group.commands.map { command in
        (left: ([command.name] + command.operands.map(\.usage)).joined(separator: " "), right: command.purpose)
      }
      sections.append(["\(group.title):"] + TextLayout.columns(rows, width: Limits.helpWidth))
    }
    sections.append(operands(root))
    sections.append(options("Options:", program.rootOptions))
    sections.append(examples(root))
    let more = program.hasCommands ? "'\(program.name) help COMMAND' tells more of a command. " : ""
    sections.append(["\(more)See also \(program.name)(\(program.manual.section))."])
    return sections
  }

  private func sections(of command: CommandSpec) -> [[String]] {
    opening(command, command) + [
      operands(command),
      options("Options:", command.options),
      options("Common options:", program.root.options + [ProgramSpec.helpOption]),
      examples(command),
      ["See also \(program.name)(\(program.manual.section))."],
    ]
  }

  private func opening(_ command: CommandSpec?, _ spec: CommandSpec) -> [[String]] {
    [TextLayout.wrapped(spec.purpose + ".", width: Limits.helpWidth), ["Usage: \(Self.usage(program, command))"]]
      + spec.discussion.map { TextLayout.wrapped($0, width: Limits.helpWidth) }
  }

  private func operands(_ command: CommandSpec) -> [String] {
    if command.operands.isEmpty { return [] }
    let rows = command.operands.map { (left: $0.usage, right: $0.purpose) }
    return ["Operands:"] + TextLayout.columns(rows, width: Limits.helpWidth)
  }

  private func options(_ title: String, _ options: [OptionSpec]) -> [String] {
    if options.isEmpty { return [] }
    let rows = options.map { (left: Self.synopsis($0), right: $0.fullPurpose) }
    return [title] + TextLayout.columns(rows, width: Limits.helpWidth)
  }

  private func examples(_ command: CommandSpec) -> [String] {
    if command.examples.isEmpty { return [] }
    return ["Examples:"] + command.examples.flatMap { ["  # \($0.purpose)", "  \($0.line)"] }
  }
}
