import FoundationEssentials

/// Values as lines of JSON: one object per line, keys in snake_case and in alphabetical order.
package enum JSONOutput {
  /// With its line end. Fails only for numbers that JSON does not have (infinite, not a number).
  package static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return escaped(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
  }

  /// Names of others stand in the values: what would steer a terminal or turn the direction of text is spelled out. It
  /// can only stand inside strings.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
