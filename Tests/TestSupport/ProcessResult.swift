package import LinuxSystem

/// A process from its start to its end.
package struct ProcessResult: Hashable {
  package let lines: [String]
  package let errors: [String]
  package let end: ChildProcess.End

  package init(lines: [String], errors: [String], end: ChildProcess.End) {
    self.lines = lines
    self.errors = errors
    self.end = end
  }
}

package enum StageError: Error, CustomStringConvertible {
  case noLine(String, seen: [String])
  case stillRunning(seen: [String])

  package var description: String {
    switch self {
    case .noLine(let text, let seen): "no line began with '\(text)'; there were \(seen)"
    case .stillRunning(let seen): "the process did not end; it said \(seen)"
    }
  }
}

extension ChildProcess {
  /// What it prints, up to the first line that begins with `last` and with that line.
  @discardableResult
  package func lines(through last: String, within limit: Duration = .seconds(10)) throws -> [String] {
    try Self.collect(last, Deadline(after: limit), readLine(until:))
  }

  /// The same of its standard error.
  @discardableResult
  package func errorLines(through last: String, within limit: Duration = .seconds(10)) throws -> [String] {
    try Self.collect(last, Deadline(after: limit), readErrorLine(until:))
  }

  private static func collect(
    _ last: String, _ deadline: Deadline, _ next: (Deadline) -> String?
  ) throws -> [String] {
    var seen: [String] = []
    while let line = next(deadline) {
      seen.append(line)
      if line.hasPrefix(last) { return seen }
    }
    throw StageError.noLine(last, seen: seen)
  }

  /// Waits for its end and reads the rest of what it said.
  package func result(within limit: Duration = .seconds(10)) throws -> ProcessResult {
    let deadline = Deadline(after: limit)
    var (lines, errors): ([String], [String]) = ([], [])
    while let line = readLine(until: deadline) { lines.append(line) }
    while let line = readErrorLine(until: deadline) { errors.append(line) }
    guard let end = wait(until: deadline) else { throw StageError.stillRunning(seen: lines + errors) }
    return ProcessResult(lines: lines, errors: errors, end: end)
  }
}
