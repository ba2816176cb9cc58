package import LoopCore

/// What happened on one loop, in order, as one line of words. Activities have the letters
/// E (entry), BT, BS (before timers, sources), BW, AW (before, after waiting) and X (exit).
package final class LoopTrace {
  package private(set) var words: [String] = []

  package init() {}

  package var text: String { words.joined(separator: " ") }

  package func mark(_ word: String) { words.append(word) }

  package func clear() { words = [] }

  package func count(_ word: String) -> Int { words.count { $0 == word } }

  /// Writes down all activities.
  package func observer(order: Int = 0) -> RunLoop.Observer {
    RunLoop.Observer(.all, order: order) { self.mark(Self.letter($0)) }
  }

  package static func letter(_ activity: RunLoop.Activity) -> String {
    switch activity {
    case .entry: "E"
    case .beforeTimers: "BT"
    case .beforeSources: "BS"
    case .beforeWaiting: "BW"
    case .afterWaiting: "AW"
    case .exit: "X"
    default: "?"
    }
  }
}
