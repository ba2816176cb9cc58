import FoundationEssentials

/// The files of the project, read once.
enum SourceTree {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// Everything that people write: sources, tests, scripts, prose.
  static let files: [SourceFile] =
    ["Sources", "Tests", "Examples", "Benchmarks", "Docs", "Scripts", ".ci"].flatMap(files(below:))
    + ["Package.swift", "Makefile", "README.md", "CHANGELOG.md"].compactMap(file)

  static let swift = files.filter(\.isSwift)

  /// All but the rules and their own tests, which must spell what they forbid.
  static let ruled = files.filter { !$0.isIn("Tests/TidyTests") }

  static func file(_ path: String) -> SourceFile? {
    guard let data = FileManager.default.contents(atPath: root + "/" + path) else { return nil }
    return SourceFile(path, String(decoding: data, as: UTF8.self))
  }

  private static func files(below folder: String) -> [SourceFile] {
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: root + "/" + folder)) ?? []
    return paths.sorted().compactMap { path in
      let file = folder + "/" + path
      // Bytes that a fuzzer found.
      if file.hasPrefix("Tests/Fuzz/Corpus/") { return nil }
      var isFolder = false
      let exists = FileManager.default.fileExists(atPath: root + "/" + file, isDirectory: &isFolder)
      return exists && !isFolder ? Self.file(file) : nil
    }
  }
}
