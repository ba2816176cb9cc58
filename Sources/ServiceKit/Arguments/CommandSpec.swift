/// A command as data: parser, help, manual page and completions are all made from it, so they cannot disagree.
package struct CommandSpec: Sendable {
  package var name: String
  /// One sentence without its full stop: "Touch a point and let go".
  package var purpose: String
  /// Paragraphs for the help of the command and the manual page.
  package var discussion: [String] = []
  package var operands: [OperandSpec] = []
  package var options: [OptionSpec] = []
  package var examples: [ExampleSpec] = []
  /// Works, but neither help nor completions speak of it.
  package var isHidden = false

  package init(
    _ name: String, _ purpose: String, discussion: [String] = [], operands: [OperandSpec] = [],
    options: [OptionSpec] = [], examples: [ExampleSpec] = [], isHidden: Bool = false
  ) {
    self.name = name
    self.purpose = purpose
    self.discussion = discussion
    self.operands = operands
    self.options = options
    self.examples = examples
    self.isHidden = isHidden
  }
}

/// An option: `--name VALUE`, or a switch when it has no value.
package struct OptionSpec: Sendable {
  package struct Value: Sendable {
    /// What stands for the value in help: `S`, `PATH`.
    package var placeholder: String
    package var kind: ValueKind
    /// The word that is read when the option is absent. Nil: there is no value then.
    package var defaultWord: String?
  }

  /// Without dashes.
  package var name: String
  package var letter: Character?
  package var value: Value?
  /// A phrase without its full stop; the default is added by those who print it.
  package var purpose: String

  /// A switch.
  package init(_ name: String, letter: Character? = nil, _ purpose: String) {
    self.name = name
    self.letter = letter
    self.purpose = purpose
  }

  package init(
    _ name: String, letter: Character? = nil, _ placeholder: String, _ kind: ValueKind,
    default defaultWord: String? = nil,
    _ purpose: String
  ) {
    self.name = name
    self.letter = letter
    self.value = Value(placeholder: placeholder, kind: kind, defaultWord: defaultWord)
    self.purpose = purpose
  }

  /// The purpose with the default behind it.
  package var fullPurpose: String {
    guard let word = value?.defaultWord else { return purpose }
    return "\(purpose) (default \(word))"
  }
}

/// An operand, in the order in which they are expected.
package struct OperandSpec: Sendable {
  package enum Count: Sendable { case one, optional, oneOrMore }

  /// In capitals, as help shows it; also the key of its value.
  package var name: String
  package var kind: ValueKind
  package var count: Count
  package var purpose: String

  package init(_ name: String, _ kind: ValueKind, count: Count = .one, _ purpose: String) {
    self.name = name
    self.kind = kind
    self.count = count
    self.purpose = purpose
  }

  package var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .oneOrMore: "\(name)…"
    }
  }
}

/// A command line worth imitating.
package struct ExampleSpec: Sendable {
  package var purpose: String
  package var line: String

  package init(_ purpose: String, _ line: String) {
    self.purpose = purpose
    self.line = line
  }
}
