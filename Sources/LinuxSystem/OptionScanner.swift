import CPortShims
import Glibc

/// One option as the scanner knows it.
package struct ScannedOption: Sendable {
  package var name: String
  package var letter: Character?
  package var takesValue: Bool

  package init(name: String, letter: Character?, takesValue: Bool) {
    precondition(letter?.isASCII ?? true, "a short option is one ASCII letter")
    self.name = name
    self.letter = letter
    self.takesValue = takesValue
  }
}

/// What one word of a command line is. Indices are those of the options given to the scanner.
package enum ScannedWord: Hashable, Sendable {
  case option(Int, value: String?)
  case operand(String)
  /// `letter` is the culprit when the word is a cluster of letters.
  case unknown(word: String, letter: Character?)
  case missingValue(Int, word: String)
  case unexpectedValue(Int, word: String)
}

/// Splits a command line by the rules of getopt_long(3). The scanner knows no meanings and prints nothing.
/// Any thread may scan: getopt's state belongs to the process, so scans take turns.
package enum OptionScanner {
  private static let turn = Monitor(())

  /// The words up to the end or to the first fault, which is then the last element; and the words that were not
  /// looked at: those behind `--`, or all from the first operand on when `stopsAtOperand`.
  package static func scan(
    _ words: [String], options: [ScannedOption], stopsAtOperand: Bool
  ) -> (words: [ScannedWord], rest: [String]) {
    precondition(options.count <= Int(CPS_OPTIONS_MAX), "more options than the scanner has room for")
    // argv[0] is never looked at; the array ends with a null pointer.
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe ([""] + words).map { unsafe strdup($0) } + [nil]
    let names = unsafe options.map { option in unsafe strdup(option.name) }
    defer {
      unsafe arguments.forEach { unsafe free($0) }
      unsafe names.forEach { unsafe free($0) }
    }
    let table = unsafe zip(options, names).map { option, name in
      unsafe cps_option(
        long_name: UnsafePointer(name!), letter: CChar(option.letter?.asciiValue ?? 0),
        takes_value: option.takesValue)
    }
    return turn.withLock { _ in
      cps_getopt_reset(stopsAtOperand)
      return unsafe take(words, &arguments, table)
    }
  }

  private static func take(
    _ words: [String], _ arguments: inout [UnsafeMutablePointer<CChar>?], _ table: [cps_option]
  ) -> (words: [ScannedWord], rest: [String]) {
    var result: [ScannedWord] = []
    while true {
      let next = unsafe cps_getopt_next(CInt(words.count + 1), &arguments, table, table.count)
      if unsafe next.kind == CPS_WORD_END {
        return unsafe (result, Array(words.dropFirst(Int(next.index) - 1)))
      }
      let word = unsafe describe(next, in: words)
      result.append(word)
      switch word {
      case .option, .operand: continue
      case .unknown, .missingValue, .unexpectedValue: return (result, [])
      }
    }
  }

  private static func describe(_ next: cps_word, in words: [String]) -> ScannedWord {
    let value = unsafe next.value.map { unsafe String(cString: $0) }
    let index = unsafe Int(next.index)
    let word = unsafe words[Int(next.position) - 1]
    switch unsafe next.kind {
    case CPS_WORD_OPTION: return .option(index, value: value)
    case CPS_WORD_OPERAND: return .operand(value ?? "")
    case CPS_WORD_MISSING_VALUE: return .missingValue(index, word: word)
    case CPS_WORD_UNEXPECTED_VALUE: return .unexpectedValue(index, word: word)
    default:
      let letter = unsafe next.letter
      return .unknown(word: word, letter: letter > 0 ? Character(UnicodeScalar(UInt8(letter))) : nil)
    }
  }
}
