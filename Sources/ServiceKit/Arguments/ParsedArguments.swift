/// The values of one command line, read and within their ranges. Options are found by their name without dashes,
/// operands by theirs in capitals. To ask for what the specification does not have is a mistake of the program.
package struct ParsedArguments: Hashable, Sendable {
  /// Nil for a program without commands.
  package let command: String?
  private var values: [String: [ArgumentValue]]
  private var switches: [String: Bool]

  init(command: String?, values: [String: [ArgumentValue]], switches: [String: Bool]) {
    self.command = command
    self.values = values
    self.switches = switches
  }

  package func isSet(_ name: String) -> Bool {
    guard let isSet = switches[name] else { preconditionFailure("no switch --\(name)") }
    return isSet
  }

  /// Nil when the option or operand is absent and has no default.
  package func text(_ name: String) -> String? {
    value(name).map { if case .text(let text) = $0 { text } else { mismatch(name) } }
  }

  package func texts(_ name: String) -> [String] {
    all(name).map { if case .text(let text) = $0 { text } else { mismatch(name) } }
  }

  package func integer(_ name: String) -> Int? {
    value(name).map { if case .integer(let number) = $0 { number } else { mismatch(name) } }
  }

  package func number(_ name: String) -> Double? {
    value(name).map { if case .number(let number) = $0 { number } else { mismatch(name) } }
  }

  package func duration(_ name: String) -> Duration? {
    value(name).map { if case .duration(let duration) = $0 { duration } else { mismatch(name) } }
  }

  package func size(_ name: String) -> (width: Int, height: Int)? {
    value(name).map { if case .size(let width, let height) = $0 { (width, height) } else { mismatch(name) } }
  }

  /// An option given twice: the last word counts, so that a script's defaults can be overruled behind them.
  private func value(_ name: String) -> ArgumentValue? { all(name).last }

  private func all(_ name: String) -> [ArgumentValue] {
    guard let found = values[name] else { preconditionFailure("no option or operand \(name)") }
    return found
  }

  private func mismatch(_ name: String) -> Never { preconditionFailure("\(name) is of another kind") }
}
