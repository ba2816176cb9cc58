/// What the word of an option or operand must look like, and what it means.
package enum ValueKind: Hashable, Sendable {
  case text
  /// Text that names a file; only completions care for the difference.
  case path
  case integer(ClosedRange<Int>)
  case number(ClosedRange<Double>)
  /// `2s`, `300ms`, `0.5`: a number of seconds unless a unit follows.
  case duration(ClosedRange<Duration>)
  /// `1024x768`, both sides within the range.
  case size(ClosedRange<Int>)
  case choice([String])
}

/// A word after it was read.
package enum ArgumentValue: Hashable, Sendable {
  case text(String)
  case integer(Int)
  case number(Double)
  case duration(Duration)
  case size(width: Int, height: Int)
}

/// Why a word is not a value of its kind: "needs a whole number from 1 to 100".
package struct ValueFault: Error, Hashable, Sendable {
  package let need: String
}

extension ValueKind {
  /// Reads one word.
  package func read(_ word: String) throws(ValueFault) -> ArgumentValue {
    let value: ArgumentValue? =
      switch self {
      case .text, .path: word.isEmpty ? nil : .text(word)
      case .choice(let words): words.contains(word) ? .text(word) : nil
      case .integer(let range): Int(word).flatMap { range.contains($0) ? .integer($0) : nil }
      case .number(let range): Self.plainNumber(word).flatMap { range.contains($0) ? .number($0) : nil }
      case .duration(let range): Self.duration(word).flatMap { range.contains($0) ? .duration($0) : nil }
      case .size(let range): Self.size(word, within: range)
      }
    guard let value else { throw ValueFault(need: need) }
    return value
  }

  /// "needs …", as the end of an error message.
  private var need: String {
    switch self {
    case .text: "needs some text"
    case .path: "needs a path"
    case .choice(let words): "needs one of \(words.joined(separator: ", "))"
    case .integer(let range): "needs a whole number\(Self.span(range, whole: .min ... .max))"
    case .number(let range): "needs a number\(Self.span(range, whole: Self.everyNumber))"
    case .duration(let range):
      "needs a time from \(Self.text(of: range.lowerBound)) to \(Self.text(of: range.upperBound)), such as 2s or 300ms"
    case .size(let range):
      "needs a size such as 1024x768, sides from \(range.lowerBound) to \(range.upperBound)"
    }
  }

  /// Every finite number.
  package static let everyNumber = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude

  private static func span<Bound: Comparable & LosslessStringConvertible>(
    _ range: ClosedRange<Bound>, whole: ClosedRange<Bound>
  ) -> String {
    if range == whole { return "" }
    if range.upperBound == whole.upperBound { return " of at least \(short(range.lowerBound))" }
    if range.lowerBound == whole.lowerBound { return " of at most \(short(range.upperBound))" }
    return " from \(short(range.lowerBound)) to \(short(range.upperBound))"
  }

  private static func short(_ bound: some LosslessStringConvertible) -> String {
    let text = String(bound)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Seconds with a unit, in the shortest form: "300ms", "2s".
  private static func text(of duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    if attoseconds == 0 { return "\(seconds)s" }
    return "\(short(Double(seconds) * 1000 + Double(attoseconds) / 1e15))ms"
  }

  /// Digits with a point and a sign: neither `inf`, `nan` nor hexadecimal, which Double's own reader takes.
  private static func plainNumber(_ word: some StringProtocol) -> Double? {
    guard !word.isEmpty, word.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }) else { return nil }
    guard let number = Double(word), number.isFinite else { return nil }
    return number
  }

  private static func duration(_ word: String) -> Duration? {
    let units: [(suffix: String, seconds: Double)] = [("ms", 1e-3), ("us", 1e-6), ("min", 60), ("s", 1)]
    let unit = units.first { word.hasSuffix($0.suffix) }
    guard let number = plainNumber(word.dropLast(unit?.suffix.count ?? 0)) else { return nil }
    let seconds = number * (unit?.seconds ?? 1)
    // Duration's own initialiser traps on what does not fit.
    guard abs(seconds) < 1e9 else { return nil }
    return .nanoseconds(Int64((seconds * 1e9).rounded()))
  }

  private static func size(_ word: String, within range: ClosedRange<Int>) -> ArgumentValue? {
    let sides = word.split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]) else { return nil }
    guard range.contains(width), range.contains(height) else { return nil }
    return .size(width: width, height: height)
  }
}
