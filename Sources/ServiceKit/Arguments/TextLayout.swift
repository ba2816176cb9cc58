/// Breaks text into lines of a width, at spaces only.
enum TextLayout {
  static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if line.isEmpty {
        line = String(word)
      } else if line.count + 1 + word.count <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// Two columns, indented by two. What is too long for the left one has its text on the next line.
  static func columns(_ rows: [(left: String, right: String)], width: Int) -> [String] {
    let column = min(26, rows.map(\.left.count).max() ?? 0)
    let indent = String(repeating: " ", count: 2 + column + 2)
    var lines: [String] = []
    for row in rows {
      var texts = wrapped(row.right, width: width - indent.count)
      if row.left.count <= column {
        let pad = String(repeating: " ", count: column - row.left.count)
        lines.append("  " + row.left + pad + "  " + (texts.isEmpty ? "" : texts.removeFirst()))
      } else {
        lines.append("  " + row.left)
      }
      lines += texts.map { indent + $0 }
    }
    return lines
  }
}
