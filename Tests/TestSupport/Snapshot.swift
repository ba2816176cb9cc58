import FoundationEssentials

/// Texts that are compared as a whole with files under Tests/Snapshots.
package enum Snapshot {
  /// Nil when the text equals the file; else the first line that differs. With UPDATE_SNAPSHOTS=1 in the environment
  /// the file is written anew instead, and the change is for the reviewer to judge.
  package static func difference(_ text: String, _ name: String) throws -> String? {
    let file = folder.appending(path: name)
    if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1" {
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
      return nil
    }
    guard let data = try? Data(contentsOf: file) else { return "there is no snapshot \(name)" }
    let expected = String(decoding: data, as: UTF8.self)
    return text == expected ? nil : firstDifference(text, expected)
  }

  private static var folder: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Snapshots")
  }

  private static func firstDifference(_ text: String, _ expected: String) -> String {
    let found = text.split(separator: "\n", omittingEmptySubsequences: false)
    let wanted = expected.split(separator: "\n", omittingEmptySubsequences: false)
    for index in 0..<max(found.count, wanted.count) {
      let ours = index < found.count ? found[index] : "(no line)"
      let theirs = index < wanted.count ? wanted[index] : "(no line)"
      if ours != theirs { return "line \(index + 1): '\(ours)' instead of '\(theirs)'" }
    }
    return "they differ in characters that look alike"
  }
}
