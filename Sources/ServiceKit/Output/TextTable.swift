/// A table for people: a line of headings, columns two spaces apart, numbers to the right.
package struct TextTable: Sendable {
  package enum Alignment: Sendable { case left, right }

  package struct Column: Sendable {
    package var title: String
    package var alignment: Alignment

    package init(_ title: String, _ alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }
  }

  private let columns: [Column]
  private var rows: [[String]] = []

  package init(_ columns: [Column]) { self.columns = columns }

  /// One cell for each column.
  package mutating func append(_ cells: [String]) {
    precondition(cells.count == columns.count, "a row needs a cell for each column")
    rows.append(cells.map(VisibleText.escaped))
  }

  /// With line ends; no blanks at the end of a line.
  package var text: String {
    let all = [columns.map { $0.title.uppercased() }] + rows
    let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { line($0, widths) + "\n" }.joined()
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let pad = String(repeating: " ", count: widths[index] - cell.count)
      line += columns[index].alignment == .left ? cell + pad : pad + cell
      if index < cells.count - 1 { line += "  " }
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
