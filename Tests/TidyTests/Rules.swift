/// The house rules that a text can be held against. Each takes one file and names the lines that break it.
enum Rules {
  /// Unsafe code outside LinuxSystem, with the reason. An entry that is no longer needed is a violation as well.
  static let unsafeAllowed: [String: String] = [
    "Tests/ServiceKitTests/Output/ConsoleTests.swift": "makes itself a pipe without a reader and opens a full device",
    "Tests/PortKitTests/Fuzz/FuzzEntry.swift": "libFuzzer hands its input over as a pointer",
    "Tests/PortProbe/ForkRole.swift": "waits for a child that it forked itself",
    "Tests/TestSupport/RawProcess.swift": "sets environment and file modes for tests",
    "Tests/TestSupport/RawSocket.swift": "does what a foreign program can do to a socket",
    "Tests/LinuxSystemTests/ProcessTests.swift": "asks the kernel for children that were left behind",
  ]

  /// Promises that the compiler cannot check, outside LinuxSystem, with the reason.
  static let uncheckedAllowed: [String: String] = [
    "Tests/LoopCoreTests/ThreadTests.swift": "carries a loop to a thread that must refuse it"
  ]

  static func unsafeCode(_ file: SourceFile) -> [Violation] {
    if file.isIn("Sources/LinuxSystem") { return [] }
    return file.violations(/\bunsafe\b|@safe\b|@unsafe\b/, in: \.codeLines, "unsafe code belongs to LinuxSystem")
  }

  static func uncheckedPromises(_ file: SourceFile) -> [Violation] {
    if file.isIn("Sources/LinuxSystem") { return [] }
    let text = "a promise that the compiler cannot check belongs to LinuxSystem"
    return file.violations(/@unchecked\s+Sendable|nonisolated\(unsafe\)|unsafeBitCast/, in: \.codeLines, text)
  }

  static let lineLengthMax = 120
  static let fileLinesMax = 400
  static let functionLinesMax = 70

  static func longLines(_ file: SourceFile) -> [Violation] {
    file.lines.enumerated().compactMap { number, line in
      line.count > lineLengthMax ? file.violation(number, "\(line.count) characters in a line") : nil
    }
  }

  static func longFile(_ file: SourceFile) -> [Violation] {
    let count = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
    return count > fileLinesMax ? [file.violation(0, "\(count) lines in a file")] : []
  }

  static func longFunctions(_ file: SourceFile) -> [Violation] {
    let opening = /(?:^|[^.\w])(?:func\s+[^\s(<]+|init[?!]?\s*[(<]|deinit\s*\{|subscript\s*[(<])/
    var found: [Violation] = []
    for (number, line) in file.codeLines.enumerated() where line.contains(opening) {
      guard let last = endOfBody(file.codeLines, from: number) else { continue }
      let count = last - number + 1
      if count > functionLinesMax { found.append(file.violation(number, "\(count) lines in a function")) }
    }
    return found
  }

  /// The line of the brace that closes the first one opened at or after `start`. Nil for a declaration without a body:
  /// a line of less depth, or of another declaration, comes first.
  private static func endOfBody(_ lines: [String], from start: Int) -> Int? {
    var depth = 0
    var hasOpened = false
    for number in start..<lines.count {
      for character in lines[number] {
        if character == "{" {
          depth += 1
          hasOpened = true
        } else if character == "}" {
          depth -= 1
          if depth < 0 { return nil }
          if depth == 0, hasOpened { return number }
        }
      }
    }
    return nil
  }

  /// A library's file holds at most one public type at its top, and is named for it.
  static func publicTypes(_ file: SourceFile) -> [Violation] {
    let declaration =
      /^(?:@[\w()., ]+\s+)*(?:public|open)\s+(?:final\s+|indirect\s+)*(?:struct|class|enum|actor|protocol)\s+(\w+)/
    let types = file.codeLines.enumerated().compactMap { number, line in
      line.firstMatch(of: declaration).map { (name: String($0.1), line: number) }
    }
    var found = types.dropFirst().map { file.violation($0.line, "a second public type, \($0.name)") }
    if let type = types.first, type.name != file.subject {
      found.append(file.violation(type.line, "\(type.name) lives in \(file.fileName)"))
    }
    return found
  }

  static func leftovers(_ file: SourceFile) -> [Violation] {
    file.violations(/\b(?:TODO|FIXME|XXX|HACK)\b/, in: \.lines, "a left-over note")
  }

  /// Waiting by the clock: tests wait for an event with a deadline.
  static func sleeps(_ file: SourceFile) -> [Violation] {
    guard file.isIn("Tests") else { return [] }
    return file.violations(/\b(?:u|nano|clock_nano)?sleep\s*\(/, in: \.codeLines, "a sleep in a test")
  }

  static func emptyTests(_ file: SourceFile) -> [Violation] {
    guard file.isIn("Tests") else { return [] }
    let excuses = /\.disabled\s*\(|#(?:expect|require)\s*\(\s*(?:Bool\()?true\b\)?\s*\)|\bwithKnownIssue\b/
    return file.violations(excuses, in: \.codeLines, "a test that cannot fail")
  }

  /// Paths of somebody's machine.
  static func machinePaths(_ file: SourceFile) -> [Violation] {
    file.violations(/(?:^|[^\w.~*$})\/-])\/(?:work|opt|home|root|Users)(?:\/|\b)/, in: \.lines, "a path of one machine")
  }

  /// The Swift programs that a page of prose shows, in lines without indentation. The manifest of
  /// somebody else's package is none.
  static func snippets(of page: SourceFile) -> [[String]] {
    var snippets: [[String]] = []
    var open: [String]?
    for line in page.lines {
      if line == "```swift" {
        open = []
      } else if line == "```" {
        if let snippet = open, !snippet.contains("import PackageDescription") { snippets.append(snippet) }
        open = nil
      } else {
        open?.append(SourceFile.trimmed(line))
      }
    }
    return snippets
  }

  /// Files that only hold a place.
  static func placeholders(_ file: SourceFile) -> [Violation] {
    guard file.isSwift, file.path != "Package.swift" else { return [] }
    if file.fileName == "Placeholder.swift" { return [file.violation(0, "a placeholder")] }
    let isEmpty = file.codeLines.allSatisfy { line in
      line.allSatisfy(\.isWhitespace) || line.contains(/^\s*(?:\w+\s+)?import\s/)
    }
    if isEmpty { return [file.violation(0, "a file without code")] }
    return file.violations(/\bfunc main\(\)\s*\{\s*\}/, in: \.codeLines, "a program that does nothing")
  }
}
