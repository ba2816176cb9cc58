import Testing

/// The project against each rule.
@Suite struct RuleTests {
  private let swift = SourceTree.swift

  @Test func theTreeIsFound() {
    #expect(SourceTree.files.contains { $0.path == "Package.swift" })
    #expect(SourceTree.files.contains { $0.path == "Makefile" })
    #expect(swift.contains { $0.path == "Tests/TidyTests/RuleTests.swift" })
    #expect(swift.count > 40)
  }

  private func withoutAllowed(_ rule: (SourceFile) -> [Violation], _ allowed: [String: String]) -> [Violation] {
    let found = ruledSwift.flatMap(rule)
    let stale = allowed.keys.filter { path in !found.contains { $0.path == path } }
    return found.filter { allowed[$0.path] == nil }
      + stale.map { Violation(path: $0, line: 0, text: "needs its allowance no longer") }
  }

  private var ruledSwift: [SourceFile] { SourceTree.ruled.filter(\.isSwift) }

  @Test func unsafeCode() { #expect(withoutAllowed(Rules.unsafeCode, Rules.unsafeAllowed) == []) }
  @Test func uncheckedPromises() { #expect(withoutAllowed(Rules.uncheckedPromises, Rules.uncheckedAllowed) == []) }
  @Test func longLines() { #expect(swift.flatMap(Rules.longLines) == []) }
  @Test func longFiles() { #expect(swift.flatMap(Rules.longFile) == []) }
  @Test func longFunctions() { #expect(swift.flatMap(Rules.longFunctions) == []) }
  @Test func publicTypes() { #expect(swift.filter { $0.isIn("Sources") }.flatMap(Rules.publicTypes) == []) }
  @Test func leftovers() { #expect(SourceTree.ruled.flatMap(Rules.leftovers) == []) }
  @Test func sleepingTests() { #expect(ruledSwift.flatMap(Rules.sleeps) == []) }
  @Test func emptyTests() { #expect(ruledSwift.flatMap(Rules.emptyTests) == []) }
  @Test func machinePaths() { #expect(SourceTree.ruled.flatMap(Rules.machinePaths) == []) }
  /// What the pages show is what the examples do.
  @Test(arguments: ["README.md", "Docs/Ports.md"]) func pagesShowExamples(_ path: String) throws {
    let page = try #require(SourceTree.file(path))
    let examples = swift.filter { $0.isIn("Examples") }
    #expect(Rules.snippets(of: page).count >= 2)
    #expect(Rules.snippets(of: page).filter { snippet in !examples.contains { $0.shows(snippet) } } == [])
  }

  @Test func placeholders() { #expect(swift.flatMap(Rules.placeholders) == []) }
}
