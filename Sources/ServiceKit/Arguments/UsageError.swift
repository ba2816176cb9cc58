/// A command line that cannot be obeyed. Printed as one line and a pointer to the help.
package struct UsageError: Error, Hashable, Sendable {
  /// What is wrong, with the offending word: "--hold needs a time … -- 'abc'".
  package var message: String
  /// The command whose line it was; nil before a command was recognised.
  package var command: String?

  package init(_ message: String, command: String? = nil) {
    self.message = message
    self.command = command
  }
}

/// The names nearest to a misspelt one.
enum Suggestion {
  /// At most three, the nearest first; none when nothing is near.
  static func nearest(to word: String, among names: [String]) -> [String] {
    let tolerance = max(1, min(3, word.count / 2))
    let ranked = names.compactMap { name -> (distance: Int, name: String)? in
      // The beginning of a name counts as near: people stop typing early.
      let distance = !word.isEmpty && name.hasPrefix(word) ? 1 : editDistance(word, name)
      return distance <= tolerance ? (distance, name) : nil
    }
    return ranked.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
  }

  /// "; did you mean 'tap'?", or nothing.
  static func question(_ word: String, among names: [String], prefix: String = "") -> String {
    let near = nearest(to: word, among: names)
    if near.isEmpty { return "" }
    return "; did you mean \(near.map { "'\(prefix)\($0)'" }.joined(separator: " or "))?"
  }

  /// Insertions, deletions, replacements and swaps of neighbours.
  static func editDistance(_ first: String, _ second: String) -> Int {
    let a = Array(first), b = Array(second)
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
