import ServiceKit
import Testing

@Suite struct OutputTests {
  private struct Row: Encodable {
    var serviceName = "org.example/a\n"
    var lookUpCount = 3
    var waiters = [1, 2]
    var heldNanoseconds: Int64 = 9_007_199_254_740_993
  }

  @Test func anObjectIsOneLine() throws {
    #expect(
      try JSONOutput.line(Row())
        == #"{"held_nanoseconds":9007199254740993,"look_up_count":3,"service_name":"org.example/a\n","waiters":[1,2]}"#
        + "\n")
  }

  @Test func numbersThatJSONLacksAreRefused() {
    #expect(throws: (any Error).self) { try JSONOutput.line([Double.infinity]) }
  }

  @Test func tablesAlign() {
    var table = TextTable([.init("name"), .init("pid", .right), .init("since")])
    table.append(["org.example.echo", "7", "now"])
    table.append(["b", "12345", ""])
    #expect(
      table.text == """
        NAME                PID  SINCE
        org.example.echo      7  now
        b                 12345

        """)
  }

  @Test func anEmptyTableHasItsHeadings() { #expect(TextTable([.init("name"), .init("pid")]).text == "NAME  PID\n") }

  @Test func cellsCannotBreakTheTable() {
    var table = TextTable([.init("name")])
    table.append(["a\nb\u{202e}c"])
    #expect(table.text == "NAME\na\\nb\\u{202e}c\n")
  }

  @Test func quotedTextIsVisibleAndBounded() {
    #expect(VisibleText.quoted("plain") == #""plain""#)
    #expect(VisibleText.quoted("a\"b\\c") == #""a\"b\\c""#)
    #expect(VisibleText.quoted("\0\u{7f}\u{9b}\u{2028}") == #""\u{0}\u{7f}\u{9b}\u{2028}""#)
    let exact = String(repeating: "x", count: 160)
    #expect(VisibleText.quoted(exact) == "\"\(exact)\"")
    #expect(VisibleText.quoted(exact + "x") == "\"\(exact)…\"")
    #expect(VisibleText.quoted(String(repeating: "ü", count: 100)) == "\"\(String(repeating: "ü", count: 80))…\"")
  }
}
