/// The manual page of a program in mdoc(7).
package struct ManPage: Sendable {
  private let program: ProgramSpec

  package init(_ program: ProgramSpec) { self.program = program }

  package var text: String {
    var page = MdocWriter()
    let manual = program.manual
    page.macro("Dd", manual.date)
    page.macro("Dt", "\(program.name.uppercased()) \(manual.section)")
    page.macro("Os")
    page.section("NAME")
    page.macro("Nm", program.name)
    page.macro("Nd", MdocWriter.escaped(program.root.purpose.lowercasedFirst))
    synopsis(&page)
    page.section("DESCRIPTION")
    page.sentences(program.root.discussion.first ?? "\(program.root.purpose).")
    for paragraph in program.root.discussion.dropFirst() { page.paragraph(paragraph) }
    page.paragraph("The options are as follows:")
    options(program.rootOptions, &page)
    commands(&page)
    facts(&page)
    return page.text
  }

  private func synopsis(_ page: inout MdocWriter) {
    page.section("SYNOPSIS")
    page.macro("Nm")
    for option in program.rootOptions where !program.hasCommands || option.value != nil {
      page.macro("Op", "Fl \(Self.dashed(option.name))\(Self.argument(option))")
    }
    for operand in program.root.operands { page.macro(operand.count == .optional ? "Op Ar" : "Ar", operand.name) }
    if program.hasCommands {
      page.macro("Ar", "command")
      page.macro("Op", "Ar argument ...")
    }
  }

  private func options(_ options: [OptionSpec], _ page: inout MdocWriter) {
    page.list("-tag -width Ds") { page in
      for option in options {
        let letter = option.letter.map { "Fl \($0) , " } ?? ""
        page.macro("It", "\(letter)Fl \(Self.dashed(option.name))\(Self.argument(option))")
        page.sentences("\(option.fullPurpose).")
      }
    }
  }

  private func commands(_ page: inout MdocWriter) {
    if !program.hasCommands { return }
    page.section("COMMANDS")
    page.plain("All commands take the options above behind their name as well.")
    for group in program.visibleGroups {
      page.macro("Ss", MdocWriter.escaped(group.title))
      page.list("-tag -width Ds") { page in
        for command in group.commands { describe(command, &page) }
      }
    }
  }

  private func describe(_ command: CommandSpec, _ page: inout MdocWriter) {
    let operands = command.operands.map { operand in
      switch operand.count {
      case .one: " Ar \(operand.name)"
      case .optional: " Op Ar \(operand.name)"
      case .oneOrMore: " Ar \(operand.name) ..."
      }
    }
    page.macro("It", "Cm \(command.name)\(operands.joined())")
    page.sentences("\(command.purpose).")
    for paragraph in command.discussion { page.paragraph(paragraph) }
    if command.options.isEmpty, command.operands.isEmpty { return }
    page.list("-tag -width Ds -compact") { page in
      for operand in command.operands {
        page.macro("It", "Ar \(operand.name)")
        page.sentences("\(operand.purpose).")
      }
      for option in command.options {
        page.macro("It", "Fl \(Self.dashed(option.name))\(Self.argument(option))")
        page.sentences("\(option.fullPurpose).")
      }
    }
  }

  private func facts(_ page: inout MdocWriter) {
    let manual = program.manual
    tagged("ENVIRONMENT", manual.environment.map { ("Ev \($0.name)", $0.purpose) }, &page)
    tagged("FILES", manual.files.map { ("Pa \(MdocWriter.escaped($0.path))", $0.purpose) }, &page)
    tagged("EXIT STATUS", program.exitStatuses.map { ("\($0.status.rawValue)", $0.text) }, &page)
    examples(&page)
    if manual.seeAlso.isEmpty { return }
    page.section("SEE ALSO")
    let last = manual.seeAlso.count - 1
    for (index, other) in manual.seeAlso.enumerated() {
      page.macro("Xr", "\(other.name) \(other.section)\(index == last ? "" : " ,")")
    }
  }

  private func tagged(_ title: String, _ rows: [(tag: String, text: String)], _ page: inout MdocWriter) {
    if rows.isEmpty { return }
    page.section(title)
    page.list("-tag -width Ds") { page in
      for row in rows {
        page.macro("It", row.tag)
        page.sentences("\(row.text).")
      }
    }
  }

  private func examples(_ page: inout MdocWriter) {
    let examples = program.root.examples + program.visibleCommands.flatMap(\.examples)
    if examples.isEmpty { return }
    page.section("EXAMPLES")
    for (index, example) in examples.enumerated() {
      if index > 0 { page.macro("Pp") }
      page.sentences("\(example.purpose):")
      page.macro("Dl", MdocWriter.escaped(example.line))
    }
  }

  /// `Fl` writes one dash; a long name brings the second.
  private static func dashed(_ name: String) -> String { "\\-\(name.replacingDashes)" }

  private static func argument(_ option: OptionSpec) -> String { option.value.map { " Ar \($0.placeholder)" } ?? "" }
}

/// Lines of mdoc: each macro and each sentence on one of its own.
private struct MdocWriter {
  private var lines: [String] = []

  var text: String { lines.joined(separator: "\n") + "\n" }

  mutating func macro(_ name: String, _ arguments: String = "") {
    lines.append(arguments.isEmpty ? ".\(name)" : ".\(name) \(arguments)")
  }

  mutating func section(_ title: String) { macro("Sh", title) }

  mutating func plain(_ text: String) { lines.append(text) }

  /// Each sentence begins a line of its own, so that the formatter can set the space behind it.
  mutating func sentences(_ text: String) {
    var sentence = ""
    for word in text.split(separator: " ") {
      sentence += sentence.isEmpty ? String(word) : " \(word)"
      if word.hasSuffix(".") || word.hasSuffix(":") {
        lines += Self.textLines(sentence)
        sentence = ""
      }
    }
    lines += Self.textLines(sentence)
  }

  mutating func paragraph(_ text: String) {
    macro("Pp")
    sentences(text)
  }

  mutating func list(_ arguments: String, _ items: (inout MdocWriter) -> Void) {
    macro("Bl", arguments)
    items(&self)
    macro("El")
  }

  /// A first character that would make a macro of the line gets something invisible in front.
  private static func textLines(_ sentence: String) -> [String] {
    TextLayout.wrapped(escaped(sentence), width: Limits.helpWidth).map { line in
      line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }
  }

  /// Backslashes, and dashes that must stay dashes.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "…": result += "..."
      default: result.append(character)
      }
    }
    return result
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
  fileprivate var replacingDashes: String { split(separator: "-").joined(separator: "\\-") }
}
