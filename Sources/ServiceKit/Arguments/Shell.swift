/// The shells that completions are written for.
package enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// A word that every one of them reads back as the same text.
  package static func quoted(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      default: "/._-+:@%,".utf8.contains(byte)
      }
    }
    if plain, !text.isEmpty { return text }
    // Closes the quotes for a quote: the one spelling that all three shells share.
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
