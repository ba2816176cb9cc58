import Testing

/// Arrows point down: the imports, the table in ``LayerGraph`` and Package.swift say the same.
@Suite struct LayerTests {
  private let manifest = LayerGraph.manifest(SourceTree.file("Package.swift")?.text ?? "")

  @Test func theTableHasNoUpwardArrow() { #expect(LayerGraph.upwardArrows(LayerGraph.declared) == []) }

  @Test(arguments: LayerGraph.declared.map(\.name)) func theManifestAgrees(_ name: String) throws {
    let row = try #require(LayerGraph.declared.first { $0.name == name })
    #expect(manifest[name] == Set(row.uses))
  }

  @Test func theTableIsComplete() {
    let helpers = ["TestSupport", "PortProbe", "CCostCount"]
    let isTest: (String) -> Bool = { $0.hasSuffix("Tests") || helpers.contains($0) }
    #expect(Set(manifest.keys.filter { !isTest($0) }) == Set(LayerGraph.declared.map(\.name)))
  }

  @Test(arguments: LayerGraph.declared.map(\.name)) func sourcesImportWhatTheTableSays(_ name: String) throws {
    let row = try #require(LayerGraph.declared.first { $0.name == name })
    let files = SourceTree.swift.filter { LayerGraph.target(of: $0) == name && !$0.isIn("Tests") }
    #expect(files.flatMap { LayerGraph.foreignImports(in: $0, row) } == [])
    if name != "CPortShims" { #expect(LayerGraph.idleDependencies(row, files) == []) }
  }

  @Test func testsImportWhatTheManifestSays() {
    let system = ["Testing", "Glibc", "FoundationEssentials", "Foundation", "Synchronization", "Dispatch"]
    for file in SourceTree.swift where file.isIn("Tests") {
      guard let target = LayerGraph.target(of: file), let uses = manifest[target] else { continue }
      let row = LayerGraph.Row(name: target, uses: Array(uses), system: system)
      #expect(LayerGraph.foreignImports(in: file, row) == [])
    }
  }

  @Test func librariesAreFreeOfFoundation() {
    let rows = LayerGraph.declared.filter { LayerGraph.withoutFoundation.contains($0.name) }
    #expect(rows.count == LayerGraph.withoutFoundation.count)
    for row in rows { #expect(!row.system.contains { $0.hasPrefix("Foundation") }) }
    // Plain Foundation has its own RunLoop, Timer and Port: no program of ours may see it either.
    for row in LayerGraph.declared { #expect(!row.system.contains("Foundation")) }
  }

  // The rules themselves

  @Test func aForeignImportIsSeen() {
    let file = SourceFile(
      "Sources/Low/A.swift",
      """
      // import Comment
      import Glibc
      @_exported import High
      package import struct Middle.Thing
      let text = "import Text"
      """)
    let row = LayerGraph.Row(name: "Low", uses: [], system: ["Glibc"])
    #expect(
      LayerGraph.foreignImports(in: file, row).map(\.description) == [
        "Sources/Low/A.swift:3: Low must not import High", "Sources/Low/A.swift:4: Low must not import Middle",
      ])
  }

  @Test func anIdleDependencyIsSeen() {
    let file = SourceFile("Sources/High/A.swift", "public import Low\n")
    let row = LayerGraph.Row(name: "High", uses: ["Low", "Idle"])
    #expect(LayerGraph.idleDependencies(row, [file]).map(\.text) == ["High depends on Idle without importing it"])
  }

  @Test func anUpwardArrowIsSeen() {
    let rows = [LayerGraph.Row(name: "Low", uses: ["High"]), LayerGraph.Row(name: "High", uses: ["Low"])]
    #expect(LayerGraph.upwardArrows(rows) == ["Low uses High, which does not stand above it"])
  }

  @Test func aManifestIsRead() {
    let text = """
      .target(name: "Shims"),
      library("Low", ["Shims"]),
      program(
        "Tool",
        ["Low", "Shims"], path: "x"),
      .target(
        name: "Support", dependencies: ["Low"], path: "y"),
      tests("LowTests", ["Low"]),
      """
    #expect(
      LayerGraph.manifest(text) == [
        "Shims": [], "Low": ["Shims"], "Tool": ["Low", "Shims"], "Support": ["Low"],
        "LowTests": ["Low", "TestSupport"],
      ])
  }
}
