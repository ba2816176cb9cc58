/// Somebody else's text made fit for a terminal and a log: one line, nothing invisible, bounded.
package enum VisibleText {
  /// Control, line-breaking and direction-changing characters become `\n`, `\t` or `\u{…}`.
  package static func escaped(_ text: String) -> String {
    if text.unicodeScalars.allSatisfy({ !isHidden($0) }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isHidden(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  /// In double quotes; at most `Limits.quotedBytesMax` bytes of the original, an ellipsis where it was cut.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    var bytes = 0
    for scalar in text.unicodeScalars {
      bytes += scalar.utf8.count
      if bytes > Limits.quotedBytesMax { return result + "…\"" }
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where isHidden(scalar): result += escape(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func escape(_ scalar: UnicodeScalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    default: "\\u{\(String(scalar.value, radix: 16))}"
    }
  }

  private static func isHidden(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
