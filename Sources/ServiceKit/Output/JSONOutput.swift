import FoundationEssentials

/// Values as lines of JSON: one object per line, keys in snake_case and in alphabetical order.
package enum JSONOutput {
  /// With its line end. Fails only for numbers that JSON does not have (infinite, not a number).
  package static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}
