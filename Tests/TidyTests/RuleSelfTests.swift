import Testing

/// Each rule against texts that break it, and against near misses.
@Suite struct RuleSelfTests {
  private func lines(
    _ rule: (SourceFile) -> [Violation], _ text: String, path: String = "Sources/PortKit/Right.swift"
  ) -> [Int] {
    rule(SourceFile(path, text)).map(\.line)
  }

  @Test func codeIsSplitFromItsSurroundings() {
    let text = #"""
      a // b "c
      /* d /* e */ f */ g
      "h \"i\" \(j("k)")) l" m
      #"n \" o"# + "p" q
      """
      r " s
      """ t
      """#
    let words = CodeText.code(of: text).split { !$0.isLetter }.map(String.init)
    #expect(words == ["a", "g", "m", "q", "t"])
    #expect(CodeText.code(of: text).filter { $0 == "\n" }.count == 6)
  }

  @Test func snippetsAreFoundInExamples() {
    let page = SourceFile(
      "README.md", "a\n```swift\nlet a = 1\n  b()\n```\n```sh\nc\n```\n```swift\nimport PackageDescription\n```\n")
    #expect(Rules.snippets(of: page) == [["let a = 1", "b()"]])
    let example = SourceFile("Examples/A.swift", "func f() {\n  let a = 1\n  b()\n}\n")
    #expect(example.shows(["let a = 1", "b()"]))
    #expect(!example.shows(["let a = 1", "c()"]))
    #expect(!example.shows(["b()", "let a = 1"]))
  }

  @Test func unsafeCode() {
    let text = """
      let a = unsafe b
      // unsafe in a comment, "unsafe" in a string
      let c = "unsafe", unsafeName = 1
      @safe struct D {}
      """
    #expect(lines(Rules.unsafeCode, text) == [1, 4])
    #expect(lines(Rules.unsafeCode, text, path: "Sources/LinuxSystem/Right.swift") == [])
    #expect(lines(Rules.unsafeCode, text, path: "Tests/LinuxSystemTests/A.swift") == [1, 4])
  }

  @Test func uncheckedPromises() {
    let text = """
      final class A: @unchecked Sendable {}
      nonisolated(unsafe) var b = 1
      final class C: Sendable {}
      """
    #expect(lines(Rules.uncheckedPromises, text) == [1, 2])
    #expect(lines(Rules.uncheckedPromises, text, path: "Sources/LinuxSystem/Right.swift") == [])
  }

  @Test func longLines() {
    let edge = String(repeating: "é", count: 120)
    #expect(lines(Rules.longLines, "\(edge)\n\(edge)x\n") == [2])
  }

  @Test func longFile() {
    #expect(lines(Rules.longFile, String(repeating: "a\n", count: 400)) == [])
    #expect(lines(Rules.longFile, String(repeating: "a\n", count: 401)) == [1])
  }

  @Test func longFunctions() {
    let body = { (count: Int) in String(repeating: "    a()\n", count: count) }
    for head in ["func a() throws(Errno)", "init(_ a: Int)", "deinit", "subscript(a: Int) -> Int"] {
      #expect(lines(Rules.longFunctions, "struct B {\n  \(head) {\n\(body(68))  }\n}\n") == [])
      #expect(lines(Rules.longFunctions, "struct B {\n  \(head) {\n\(body(69))  }\n}\n") == [2])
    }
    let braces = "func a(\n  b: Int\n)\n{\n  if b { \"}\" }\n\(body(70))}\n"
    #expect(lines(Rules.longFunctions, braces) == [1])
    let call = "struct A {\n  let b = c.init(d)\n}\nenum E {\n\(body(80))}\n"
    #expect(lines(Rules.longFunctions, call) == [])
    let requirement = "protocol A {\n  func b()\n}\nstruct C {\n\(body(80))}\n"
    #expect(lines(Rules.longFunctions, requirement) == [])
  }

  @Test func publicTypes() {
    #expect(lines(Rules.publicTypes, "public struct Right: ~Copyable {}\nstruct Helper {}\n") == [])
    #expect(lines(Rules.publicTypes, "public enum Right {\n  public enum Inner {}\n}\n") == [])
    #expect(lines(Rules.publicTypes, "public struct Right {}\npublic final class Other {}\n") == [2])
    #expect(lines(Rules.publicTypes, "@frozen public struct Wrong {}\n") == [1])
    #expect(lines(Rules.publicTypes, "extension Right {}\n", path: "Sources/PortKit/Right+Copy.swift") == [])
    #expect(lines(Rules.publicTypes, "open class Wrong {}\n", path: "Sources/PortKit/Right+Copy.swift") == [1])
  }

  @Test func leftovers() {
    #expect(lines(Rules.leftovers, "a // TODO later\n/// FIXME\nXXXXXX\nXXX\n") == [1, 2, 4])
  }

  @Test func sleepingTests() {
    let text = """
      usleep(1)
      try await Task.sleep(for: .seconds(1))
      nanosleep (&a, nil)
      Thread.sleep(forTimeInterval: 1)
      // sleep(1)
      let sleeper = asleep
      """
    #expect(lines(Rules.sleeps, text, path: "Tests/PortKitTests/A.swift") == [1, 2, 3, 4])
    #expect(lines(Rules.sleeps, text) == [])
  }

  @Test func emptyTests() {
    let text = """
      @Test(.disabled("later")) func a() {}
      #expect(true)
      #expect( Bool(true) )
      #require(true)
      #expect(isTrue)
      #expect(true == a)
      """
    #expect(lines(Rules.emptyTests, text, path: "Tests/PortKitTests/A.swift") == [1, 2, 3, 4])
  }

  @Test func machinePaths() {
    let text = """
      cd /Users/x
      "/root/x"
      PATH=/home/me
      see ../home/x and a/root/b
      /worker /run/user/1000 $(HOME)/work
      """
    #expect(lines(Rules.machinePaths, text, path: "Scripts/a") == [1, 2, 3])
  }

  @Test func placeholders() {
    #expect(lines(Rules.placeholders, "enum A {}", path: "Sources/PortKit/Placeholder.swift") == [1])
    #expect(lines(Rules.placeholders, "// Nothing yet.\npublic import PortKit\n") == [1])
    #expect(lines(Rules.placeholders, "import A\n@main struct Main { static func main() {} }\n") == [2])
    #expect(lines(Rules.placeholders, "import A\n@main struct Main { static func main() { run() } }\n") == [])
  }
}
