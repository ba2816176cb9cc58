import FoundationEssentials
import LinuxSystem
import TestSupport
import Testing

/// What Mach answers at run time about names and user references does not compile here. Each program is a function of
/// one file, compiled against the built module; the line with the comment must have the error.
@Suite struct MisuseTests {
  private static let programs = """
    import PortKit

    func c1(port: borrowing ReceiveRight) {  // error: 'port' is borrowed and cannot be consumed
      let second = port
      _ = second
    }
    func c2(right: consuming SendRight, message: consuming Message) {  // error: 'right' used after consume
      message.attach(right)
      _ = right.send(Message(id: 1))
    }
    func c2Copied(right: borrowing SendRight) {  // error: 'right' is borrowed and cannot be consumed
      let second = right
      _ = second
    }
    func c5(right: consuming SendOnceRight) {  // error: 'right' consumed more than once
      _ = right.send(Message(id: 1))
      _ = right.send(Message(id: 2))
    }
    func c6(right: borrowing SendOnceRight) {  // error: 'right' is borrowed and cannot be consumed
      let second = right
      _ = second
    }
    func c8(port: consuming ReceiveRight, message: consuming Message) throws {  // error: 'port' used after consume
      message.attach(port)
      _ = try port.receive()
    }
    func twice(right: borrowing SendRight, message: consuming Message) {  // error: 'message' consumed more than
      _ = right.send(message)
      _ = right.send(message)
    }
    func rightsInAnArray(right: consuming SendRight) {
      _ = [right]  // error: that 'SendRight' conform to 'Copyable'
    }
    func c53(set: borrowing PortSet, other: borrowing PortSet) throws {
      try set.insert(other)  // error: cannot convert value of type 'PortSet'
    }
    func c53Sent(set: consuming PortSet, message: consuming Message) {
      message.attach(set)  // error: no exact matches in call to instance method 'attach'
    }
    func fine(port: borrowing ReceiveRight, right: borrowing SendRight, once: consuming SendOnceRight) throws {
      var message = Message(id: 1)
      try message.attach(copying: right)
      try message.attach(makingSendRightFrom: port)
      message.attach(once)
      try right.send(message).get()
    }
    """

  @Test("C1, C2, C5, C6, C8, C17, C53: a right cannot be copied silently, used after it moved, or used twice")
  func programs() throws {
    let directory = try TemporaryDirectory(prefix: "misuse")
    defer { directory.remove() }
    // What needs the type checker ends the compiler before ownership is looked at: two files, two runs.
    let (types, ownership) = Self.split()
    try expectErrors(ownership, at: directory.path + "/Ownership.swift")
    try expectErrors(types, at: directory.path + "/Types.swift")
  }

  /// The functions that fail in the type checker, and all others.
  private static func split() -> (types: String, ownership: String) {
    let functions = programs.components(separatedBy: "\nfunc ").dropFirst()
    let isAboutTypes = { (text: String) in ["rightsInAnArray", "c53"].contains { text.hasPrefix($0) } }
    let parts = [functions.filter(isAboutTypes), functions.filter { !isAboutTypes($0) }]
    let texts = parts.map { (["import PortKit"] + $0).joined(separator: "\nfunc ") }
    return (texts[0], texts[1])
  }

  private func expectErrors(_ text: String, at path: String) throws {
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let errors = try compile(path)
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      let found = errors[index + 1] ?? []
      let parts = line.components(separatedBy: "// error: ")
      if parts.count == 2 {
        let wanted = parts[1]
        #expect(found.contains { $0.contains(wanted) }, "line \(index + 1): \(line); found \(found)")
      }
    }
    let marked = text.components(separatedBy: "// error: ").count - 1
    #expect(errors.count == marked, "\(errors)")
  }

  /// The errors by line. A compiler that is not there or does not see the module fails the test.
  private func compile(_ path: String) throws -> [Int: [String]] {
    let compiler = try #require(Self.compiler(), "no swiftc in PATH or beside the test runner's toolchain")
    let products = try Products.directory()
    let process = try ChildProcess(
      compiler,
      [
        "-frontend", "-emit-sil", "-swift-version", "6", "-I", products + "/Modules", "-Xcc",
        "-fmodule-map-file=" + products + "/CPortShims.build/module.modulemap", "-Xcc", "-I" + Self.shims, path, "-o",
        "/dev/null",
      ], capturesError: true)
    let result = try process.result(within: .seconds(60))
    var errors: [Int: [String]] = [:]
    for line in result.errors where line.hasPrefix(path + ":") && line.contains(": error: ") {
      let fields = line.dropFirst(path.count + 1).split(separator: ":", maxSplits: 1)
      errors[Int(fields[0]) ?? 0, default: []].append(line)
    }
    // An error without a place: the module was not found or not understood.
    #expect(!result.errors.contains { $0.hasPrefix("<unknown>") }, "\(result.errors)")
    return errors
  }

  private static let shims = #filePath.components(separatedBy: "/Tests/")[0] + "/Sources/CPortShims/include"

  private static func compiler() -> String? {
    let path = ProcessFacts.environment("PATH") ?? ""
    let places = path.split(separator: ":").map(String.init) + ["/usr/bin"]
    return places.map { $0 + "/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
