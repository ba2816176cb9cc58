/// One file of the project, as the rules see it.
struct SourceFile {
  /// From the root of the package: "Sources/PortKit/PortError.swift".
  let path: String
  let text: String
  /// The text with comments and string literals blanked out; the same length in lines.
  let code: String
  let lines: [String]
  let codeLines: [String]

  init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
    self.code = [".swift", ".c", ".h"].contains { path.hasSuffix($0) } ? CodeText.code(of: text) : text
    self.lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    self.codeLines = code.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  var isSwift: Bool { path.hasSuffix(".swift") }
  var fileName: String { String(path.split(separator: "/").last ?? "") }
  /// "PortError" of "Sources/PortKit/PortError.swift", "RunLoop" of "RunLoop+Run.swift".
  var subject: String { String(fileName.prefix { $0 != "." && $0 != "+" }) }

  /// Whether these lines stand here, one below the other, at whatever indentation.
  func shows(_ snippet: [String]) -> Bool {
    let bare = lines.map(Self.trimmed)
    return bare.indices.contains { bare[$0...].starts(with: snippet) }
  }

  /// Without the blanks at the begin.
  static func trimmed(_ line: String) -> String { String(line.drop { $0 == " " }) }

  func isIn(_ folder: String) -> Bool { path.hasPrefix(folder + "/") }

  func violation(_ line: Int, _ text: String) -> Violation { Violation(path: path, line: line + 1, text: text) }

  /// Lines in which the pattern occurs. Words end at points, unlike in prose: `Task.sleep` is two of them.
  func violations(_ pattern: Regex<some Any>, in lines: KeyPath<SourceFile, [String]>, _ text: String) -> [Violation] {
    let pattern = pattern.wordBoundaryKind(.simple)
    return self[keyPath: lines].enumerated().compactMap { number, line in
      line.contains(pattern) ? violation(number, text) : nil
    }
  }
}

/// A place that breaks a rule.
struct Violation: Hashable, CustomStringConvertible {
  let path: String
  let line: Int
  let text: String

  var description: String { "\(path):\(line): \(text)" }
}
