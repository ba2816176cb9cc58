import Testing

/// Every public symbol of PortKit says what it is for.
@Suite struct DocumentationTests {
  /// Public declarations, and cases of public enums, that no documentation comment stands before. What only fulfils
  /// `CustomStringConvertible` is documented there.
  static func undocumented(_ file: SourceFile) -> [Violation] {
    file.codeLines.indices.compactMap { number in
      let line = file.codeLines[number]
      guard isPublic(line) || isCaseOfPublicEnum(number, file), !line.contains("var description: String") else {
        return nil
      }
      let before = file.lines[..<number].last { !isAttribute($0) } ?? ""
      return SourceFile.trimmed(before).hasPrefix("///") ? nil : file.violation(number, "no documentation")
    }
  }

  private static func isPublic(_ line: String) -> Bool {
    line.contains(/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s+[a-z]/) && !line.contains(/\bimport\s/)
  }

  private static func isAttribute(_ line: String) -> Bool { line.contains(/^\s*@\w+(?:\([^)]*\))?$/) }

  private static func isCaseOfPublicEnum(_ number: Int, _ file: SourceFile) -> Bool {
    let line = file.codeLines[number]
    guard line.contains(/^\s+case\s+\w+(?:\(.*\)|\s*=.*)?$/) else { return false }
    let depth = indentation(line)
    let outer = file.codeLines[..<number].last { !$0.allSatisfy(\.isWhitespace) && indentation($0) < depth }
    return outer.map { $0.contains(/public\s+(?:indirect\s+)?enum\s/) } ?? false
  }

  private static func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  @Test func publicSymbolsAreDocumented() {
    let library = SourceTree.swift.filter { $0.isIn("Sources/PortKit") }
    #expect(library.count > 40)
    #expect(library.flatMap(Self.undocumented) == [])
  }

  /// Names of the library that a page has in its code spans and nobody declares: methods with their brackets, and what
  /// follows a point.
  static func unknownNames(on page: SourceFile, among files: [SourceFile]) -> [Violation] {
    var declared: Set<Substring> = ["zero"]  // A duration's.
    for file in files {
      for match in file.code.matches(of: /\b(?:func|case|var|let)\s+(\w+)/) { declared.insert(match.1) }
    }
    return page.lines.enumerated().flatMap { number, line in
      line.matches(of: /`([^`]+)`/).map(\.1).flatMap { span -> [Violation] in
        if span.hasPrefix("net.") || span.contains(/mach_|task_|\//) { return [] }
        let names = span.matches(of: /\b([a-z]\w+)\(/).map(\.1) + span.matches(of: /\.([a-z]\w+)/).map(\.1)
        return names.filter { !declared.contains($0) }.map { page.violation(number, "nothing is named \($0)") }
      }
    }
  }

  @Test(arguments: ["Docs/Mach.md", "Docs/Ports.md"]) func pagesNameWhatExists(_ path: String) throws {
    let page = try #require(SourceTree.file(path))
    #expect(Self.unknownNames(on: page, among: SourceTree.swift.filter { $0.isIn("Sources/PortKit") }) == [])
  }

  // The rules themselves

  @Test func whatNobodyDeclaresIsSeen() {
    let page = SourceFile(
      "Docs/A.md",
      "`send(_:)`, sendNot(1)\n`.sent(a, .lost)` and `take(at:)`\n`Limits.most`, `net.core.x`, `mach_x()`\n")
    let file = SourceFile(
      "Sources/PortKit/A.swift", "func send() {}\n// case lost\nenum A { case sent }\nlet most = 1\n")
    #expect(
      Self.unknownNames(on: page, among: [file]).map(\.description) == [
        "Docs/A.md:2: nothing is named lost", "Docs/A.md:2: nothing is named take",
      ])
  }

  @Test func whatIsMissingIsSeen() {
    let file = SourceFile(
      "Sources/PortKit/A.swift",
      """
      public import Low
      /// Said.
      public enum A: CustomStringConvertible {
        /// Said.
        case one
        case two(Int)
        // Not said.
        @inlinable
        public func three() {
          switch self {
          case one: break
          default: break
          }
        }
        /// Said.
        @discardableResult
        public init() {}
        public var description: String { "public func" }
        enum B { case four }
        private enum C {
          case five
        }
      }
      @frozen public struct D {}
      """)
    #expect(Self.undocumented(file).map(\.line) == [6, 9, 24])
  }
}
