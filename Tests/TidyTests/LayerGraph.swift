/// Which module may use which: the architecture as a table. Each row stands below those that use it.
struct LayerGraph {
  struct Row {
    let name: String
    let uses: [String]
    /// Modules of the toolchain and the system.
    var system: [String] = []
  }

  static let declared: [Row] = [
    // Layer 0 and 1
    Row(name: "CPortShims", uses: []),
    Row(name: "LinuxSystem", uses: ["CPortShims"], system: ["Glibc", "Synchronization"]),
    // Layer 2
    Row(name: "PortKit", uses: ["LinuxSystem"], system: ["Glibc", "Synchronization"]),
    // Layer 3
    Row(name: "LoopCore", uses: ["LinuxSystem", "PortKit"], system: ["Glibc", "Synchronization", "Dispatch"]),
    Row(name: "ServiceKit", uses: ["LinuxSystem"], system: ["Glibc", "FoundationEssentials"]),
    // Layer 4
    Row(name: "HIDKit", uses: ["LinuxSystem", "LoopCore", "PortKit"], system: ["Glibc"]),
    Row(name: "TouchKit", uses: ["HIDKit", "LinuxSystem", "LoopCore", "PortKit"], system: ["Glibc"]),
    // Layer 5
    Row(name: "portd", uses: ["HIDKit", "LinuxSystem", "LoopCore", "PortKit", "ServiceKit"], system: tool),
    Row(name: "portctl", uses: ["HIDKit", "LinuxSystem", "PortKit", "ServiceKit"], system: tool),
    Row(name: "OneWindow", uses: ["HIDKit", "LoopCore", "PortKit", "TouchKit"], system: tool),
    Row(name: "EchoService", uses: ["LoopCore", "PortKit"], system: tool),
    Row(name: "PortTour", uses: ["PortKit"], system: tool + ["Dispatch"]),
    Row(name: "TouchPad", uses: ["HIDKit", "LoopCore", "PortKit", "ServiceKit", "TouchKit"], system: tool),
    Row(name: "Demo", uses: ["LinuxSystem", "ServiceKit"], system: tool),
    Row(name: "portbench", uses: ["HIDKit", "LinuxSystem", "LoopCore", "PortKit", "TouchKit"], system: tool),
  ]

  private static let tool = ["Glibc", "FoundationEssentials", "Synchronization"]

  /// What is promised to link nothing of Foundation.
  static let withoutFoundation = ["LinuxSystem", "PortKit", "LoopCore", "HIDKit", "TouchKit"]

  /// Dependencies of a target as Package.swift has them, by target.
  static func manifest(_ text: String) -> [String: Set<String>] {
    var result: [String: Set<String>] = [:]
    let calls = /(library|program|example|tests)\(\s*"(\w+)",\s*\[([^\]]*)\]/
    let targets = /\.target\(\s*name: "(\w+)"(?:,\s*dependencies: \[([^\]]*)\])?/
    for match in text.matches(of: calls) {
      // What the manifest's function for tests adds to each list.
      result[String(match.2)] = names(match.3).union(match.1 == "tests" ? ["TestSupport"] : [])
    }
    for match in text.matches(of: targets) { result[String(match.1)] = names(match.2 ?? "") }
    return result
  }

  private static func names(_ list: Substring) -> Set<String> { Set(list.matches(of: /"(\w+)"/).map { String($0.1) }) }

  /// The target that a file belongs to: its folder below Sources, Examples, Benchmarks or Tests.
  static func target(of file: SourceFile) -> String? {
    let parts = file.path.split(separator: "/")
    guard parts.count >= 3, ["Sources", "Examples", "Benchmarks", "Tests"].contains(parts[0]) else { return nil }
    return String(parts[1])
  }

  /// Modules that a file imports, with the line.
  static func imports(of file: SourceFile) -> [(module: String, line: Int)] {
    let statement = /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+\s+)?import\s+(?:struct |class |enum |func |let |var )?(\w+)/
    return file.codeLines.enumerated().compactMap { number, line in
      line.firstMatch(of: statement).map { (String($0.1), number) }
    }
  }

  /// Imports that a row does not allow.
  static func foreignImports(in file: SourceFile, _ row: Row) -> [Violation] {
    imports(of: file).compactMap { module, line in
      let isKnown = (row.uses + row.system + [row.name]).contains(module)
      return isKnown ? nil : file.violation(line, "\(row.name) must not import \(module)")
    }
  }

  /// Dependencies that no file of the target uses.
  static func idleDependencies(_ row: Row, _ files: [SourceFile]) -> [Violation] {
    let imported = Set(files.flatMap { imports(of: $0).map(\.module) })
    return row.uses.filter { !imported.contains($0) }.map { module in
      Violation(path: "Package.swift", line: 1, text: "\(row.name) depends on \(module) without importing it")
    }
  }

  /// Rows that use what stands below them.
  static func upwardArrows(_ rows: [Row]) -> [String] {
    var above: Set<String> = []
    var found: [String] = []
    for row in rows {
      found += row.uses.filter { !above.contains($0) }.map { "\(row.name) uses \($0), which does not stand above it" }
      above.insert(row.name)
    }
    return found
  }
}
