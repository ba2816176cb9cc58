/// Completion scripts of a program, to be installed or sourced.
package struct Completions: Sendable {
  private let program: ProgramSpec

  package init(_ program: ProgramSpec) { self.program = program }

  package func script(for shell: Shell) -> String {
    let lines =
      switch shell {
      case .bash: bash
      case .zsh: zsh
      case .fish: fish
      }
    return lines.joined(separator: "\n") + "\n"
  }

  private var name: String { program.name }
  private var function: String { "_" + name }
  private var commands: [CommandSpec] { program.visibleCommands }

  /// Words that an operand can be, where there are few.
  private func choices(_ command: CommandSpec) -> [String] {
    command.operands.flatMap { if case .choice(let words) = $0.kind { words } else { [String]() } }
  }

  // MARK: bash

  private var bash: [String] {
    var lines = [
      "# bash completion for \(name)", "\(function)() {",
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= words= i",
      "  COMPREPLY=()",
    ]
    lines += program.hasCommands ? bashCommandSearch : []
    lines.append("  case \"$command $previous\" in")
    lines += program.rootOptions.compactMap { bashValues("*", $0) }
    for command in commands { lines += command.options.compactMap { bashValues("\(command.name)", $0) } }
    lines += ["  esac", "  case \"$command\" in"]
    let rootWords = commands.map(\.name) + (program.hasCommands ? ["help"] : []) + choices(program.root)
    lines.append("    '') words='\(words(rootWords, program.rootOptions))' ;;")
    for command in commands {
      lines.append("    \(command.name)) words='\(words(choices(command), program.options(of: command)))' ;;")
    }
    if program.hasCommands { lines.append("    help) words='\(words(commands.map(\.name), []))' ;;") }
    lines += [
      "  esac", "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")", "}",
      "complete -F \(function) \(name)",
    ]
    return lines
  }

  private var bashCommandSearch: [String] {
    let withValue = program.rootOptions.filter { $0.value != nil }.map { "--\($0.name)" }
    return [
      "  for ((i = 1; i < COMP_CWORD; i++)); do", "    case ${COMP_WORDS[i]} in",
    ] + (withValue.isEmpty ? [] : ["      \(withValue.joined(separator: " | "))) ((i++)) ;;"]) + [
      "      -*) ;;", "      *) command=${COMP_WORDS[i]}; break ;;", "    esac", "  done",
    ]
  }

  private func bashValues(_ command: String, _ option: OptionSpec) -> String? {
    guard let value = option.value else { return nil }
    let action =
      switch value.kind {
      case .path: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return"
      case .choice(let words):
        "mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))' -- \"$current\"); return"
      case .text, .integer, .number, .duration, .size: "return"
      }
    return "    \(command)' --\(option.name)') \(action) ;;"
  }

  private func words(_ words: [String], _ options: [OptionSpec]) -> String {
    (words + options.map { "--\($0.name)" }).joined(separator: " ")
  }

  // MARK: zsh

  private var zsh: [String] {
    var lines = ["#compdef \(name)", "\(function)() {"]
    if program.hasCommands {
      lines += ["  local context state state_descr line", "  typeset -A opt_args", "  _arguments -C \\"]
      lines += program.rootOptions.map { "    \(zshOption($0)) \\" }
      lines += ["    '1: :->command' \\", "    '*:: :->argument'", "  case $state in"]
      lines += ["    command)", "      local -a commands=("]
      lines += commands.map { "        \(Shell.quoted("\($0.name):\($0.purpose)"))" }
      lines += ["        'help:Tell more of a command'", "      )", "      _describe command commands ;;"]
      lines += ["    argument)", "      case $words[1] in"]
      for command in commands {
        lines.append("        \(command.name))")
        lines += zshArguments(command, program.options(of: command), indent: "          ")
        lines[lines.count - 1] += " ;;"
      }
      lines.append("        help) _arguments '1:command:(\(commands.map(\.name).joined(separator: " ")))' ;;")
      lines += ["      esac ;;", "  esac"]
    } else {
      lines += zshArguments(program.root, program.rootOptions, indent: "  ")
    }
    lines += [
      "}", "if [ \"$funcstack[1]\" = \(function) ]; then \(function) \"$@\"; else compdef \(function) \(name); fi",
    ]
    return lines
  }

  private func zshArguments(_ command: CommandSpec, _ options: [OptionSpec], indent: String) -> [String] {
    let operands = command.operands.map { operand in
      Shell.quoted("\(operand.count == .oneOrMore ? "*" : ""):\(operand.name):\(zshAction(operand.kind))")
    }
    let words = options.map(zshOption) + operands
    return ["\(indent)_arguments \\"]
      + words.enumerated().map { "\(indent)  \($1)\($0 == words.count - 1 ? "" : " \\")" }
  }

  private func zshOption(_ option: OptionSpec) -> String {
    let value = option.value.map { ":\($0.placeholder):\(zshAction($0.kind))" } ?? ""
    return Shell.quoted("--\(option.name)[\(option.purpose)]\(value)")
  }

  private func zshAction(_ kind: ValueKind) -> String {
    switch kind {
    case .path: "_files"
    case .choice(let words): "(\(words.joined(separator: " ")))"
    case .text, .integer, .number, .duration, .size: " "
    }
  }

  // MARK: fish

  private var fish: [String] {
    var lines = ["# fish completion for \(name)", "complete -c \(name) -f"]
    let everywhere = program.hasCommands ? [ProgramSpec.helpOption] + program.root.options : program.rootOptions
    lines += everywhere.map { fishOption($0, condition: nil) }
    if !program.hasCommands { return lines }
    lines.append(fishOption(ProgramSpec.versionOption, condition: "__fish_use_subcommand"))
    for command in commands {
      lines.append(fishWord(command.name, command.purpose, condition: "__fish_use_subcommand"))
    }
    lines.append(fishWord("help", "Tell more of a command", condition: "__fish_use_subcommand"))
    for command in commands {
      let condition = "__fish_seen_subcommand_from \(command.name)"
      lines += command.options.map { fishOption($0, condition: condition) }
      lines += choices(command).map { fishWord($0, nil, condition: condition) }
    }
    lines += commands.map { fishWord($0.name, $0.purpose, condition: "__fish_seen_subcommand_from help") }
    return lines
  }

  private func fishWord(_ word: String, _ purpose: String?, condition: String) -> String {
    let description = purpose.map { " -d \(Shell.quoted($0))" } ?? ""
    return "complete -c \(name) -n '\(condition)' -a \(word)\(description)"
  }

  private func fishOption(_ option: OptionSpec, condition: String?) -> String {
    var words = ["complete", "-c", name]
    if let condition { words += ["-n", "'\(condition)'"] }
    if let letter = option.letter { words += ["-s", String(letter)] }
    words += ["-l", option.name]
    switch option.value?.kind {
    case nil: break
    case .path: words += ["-r", "-F"]
    case .choice(let choices): words += ["-x", "-a", "'\(choices.joined(separator: " "))'"]
    case .text, .integer, .number, .duration, .size: words.append("-x")
    }
    return (words + ["-d", Shell.quoted(option.purpose)]).joined(separator: " ")
  }
}
