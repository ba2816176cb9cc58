/// Splits Swift and C into code and the rest. It knows comments (nested ones too), string literals (raw and of several
/// lines) and interpolations only as far as the rules need: an interpolation counts as part of its string.
enum CodeText {
  static func code(of text: String) -> String {
    var scanner = Scanner(rest: Array(text.unicodeScalars))
    return scanner.run()
  }

  private struct Scanner {
    let rest: [UnicodeScalar]
    var index = 0
    var result = String.UnicodeScalarView()

    init(rest: [UnicodeScalar]) { self.rest = rest }

    private func sees(_ text: String) -> Bool {
      let scalars = Array(text.unicodeScalars)
      return index + scalars.count <= rest.count && Array(rest[index..<index + scalars.count]) == scalars
    }

    /// Skips `count` characters, leaving blanks for them and line ends as they are.
    private mutating func blank(_ count: Int) {
      for _ in 0..<count where index < rest.count {
        result.append(rest[index] == "\n" ? "\n" : " ")
        index += 1
      }
    }

    mutating func run() -> String {
      while index < rest.count {
        if sees("//") {
          while index < rest.count, rest[index] != "\n" { blank(1) }
        } else if sees("/*") {
          blockComment()
        } else if rest[index] == "\"" || (rest[index] == "#" && sees("#\"")) || sees("##\"") {
          string()
        } else {
          result.append(rest[index])
          index += 1
        }
      }
      return String(result)
    }

    private mutating func blockComment() {
      var depth = 0
      repeat {
        if sees("/*") {
          depth += 1
          blank(2)
        } else if sees("*/") {
          depth -= 1
          blank(2)
        } else {
          blank(1)
        }
      } while depth > 0 && index < rest.count
    }

    private mutating func string() {
      var hashes = ""
      while rest[index] == "#" {
        hashes += "#"
        blank(1)
      }
      let quotes = sees("\"\"\"") ? "\"\"\"" : "\""
      blank(quotes.count)
      while index < rest.count, !sees(quotes + hashes) {
        if sees("\\" + hashes + "(") {
          blank(hashes.count + 2)
          interpolation()
        } else if sees("\\" + hashes) {
          blank(hashes.count + 2)
        } else if quotes.count == 1, rest[index] == "\n" {
          return  // An apostrophe of C or a broken line: the next one starts afresh.
        } else {
          blank(1)
        }
      }
      blank(quotes.count + hashes.count)
    }

    private mutating func interpolation() {
      var depth = 1
      while depth > 0, index < rest.count {
        if rest[index] == "\"" {
          string()
          continue
        }
        if rest[index] == "(" { depth += 1 }
        if rest[index] == ")" { depth -= 1 }
        blank(1)
      }
    }
  }
}
