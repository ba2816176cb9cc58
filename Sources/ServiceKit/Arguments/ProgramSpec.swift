/// A program as data: either one command, or groups of commands with options that all of them take.
package struct ProgramSpec: Sendable {
  /// Commands under one heading of the help.
  package struct Group: Sendable {
    package var title: String
    package var commands: [CommandSpec]

    package init(_ title: String, _ commands: [CommandSpec]) {
      self.title = title
      self.commands = commands
    }
  }

  /// The manual page's facts that are not in the options.
  package struct Manual: Sendable {
    /// 1 for commands, 8 for daemons.
    package var section: Int
    /// As mdoc wants it: "November 30, 2026".
    package var date: String
    package var environment: [(name: String, purpose: String)] = []
    package var files: [(path: String, purpose: String)] = []
    package var seeAlso: [(name: String, section: Int)] = []

    package init(
      section: Int, date: String, environment: [(name: String, purpose: String)] = [],
      files: [(path: String, purpose: String)] = [], seeAlso: [(name: String, section: Int)] = []
    ) {
      self.section = section
      self.date = date
      self.environment = environment
      self.files = files
      self.seeAlso = seeAlso
    }
  }

  package var version: String
  /// Name, purpose, examples of the program; its options are taken before and behind a command's name.
  package var root: CommandSpec
  package var groups: [Group]
  package var exitStatuses: [ExitStatus.Meaning]
  package var manual: Manual

  package init(
    version: String, root: CommandSpec, groups: [Group] = [], exitStatuses: [ExitStatus.Meaning], manual: Manual
  ) {
    self.version = version
    self.root = root
    self.groups = groups
    self.exitStatuses = exitStatuses
    self.manual = manual
  }

  package var name: String { root.name }
  package var hasCommands: Bool { !groups.isEmpty }
  package var commands: [CommandSpec] { groups.flatMap(\.commands) }
  package var visibleGroups: [Group] {
    groups.map { Group($0.title, $0.commands.filter { !$0.isHidden }) }.filter { !$0.commands.isEmpty }
  }
  package var visibleCommands: [CommandSpec] { visibleGroups.flatMap(\.commands) }

  package func command(named name: String) -> CommandSpec? { commands.first { $0.name == name } }

  // What every program understands.
  package static let helpOption = OptionSpec("help", letter: "h", "Show this help and leave")
  package static let versionOption = OptionSpec("version", "Show the version and leave")

  /// Options before the command's name, or those of a program without commands.
  package var rootOptions: [OptionSpec] { root.options + [Self.helpOption, Self.versionOption] }

  /// Options behind the command's name: its own, then the program's.
  package func options(of command: CommandSpec) -> [OptionSpec] {
    command.options + root.options + [Self.helpOption]
  }
}

extension ProgramSpec {
  /// What is wrong with the data itself; empty for a sound specification. A test of each program asks.
  package func problems() -> [String] {
    var found: [String] = []
    for name in repeated(commands.map(\.name)) { found.append("two commands \(name)") }
    for command in hasCommands ? commands : [root] {
      let options = hasCommands ? self.options(of: command) : rootOptions
      found += problems(of: command, options).map { "\(command.name): \($0)" }
    }
    return found
  }

  private func problems(of command: CommandSpec, _ options: [OptionSpec]) -> [String] {
    var found = repeated(options.map(\.name)).map { "two options --\($0)" }
    found += repeated(options.compactMap { $0.letter.map(String.init) }).map { "two options -\($0)" }
    if options.count > Limits.optionsMax { found.append("more than \(Limits.optionsMax) options") }
    for option in options {
      guard let value = option.value, let word = value.defaultWord else { continue }
      if (try? value.kind.read(word)) == nil { found.append("--\(option.name) has a default that it would refuse") }
    }
    for operand in command.operands.dropLast() where operand.count != .one {
      found.append("\(operand.name) must be the last operand")
    }
    let texts = [command.purpose] + options.map(\.purpose) + command.operands.map(\.purpose)
    found += texts.filter { $0.hasSuffix(".") || $0.isEmpty }.map { "not a phrase: '\($0)'" }
    return found
  }

  private func repeated(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { !seen.insert($0).inserted }
  }
}
