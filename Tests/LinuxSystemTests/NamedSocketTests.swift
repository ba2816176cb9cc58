import Glibc
import LinuxSystem
import Testing

@Suite struct NamedSocketTests {
  @Test func aPathFitsOrIsRefused() throws {
    let directory = try TemporaryDirectory(prefix: "paths")
    defer { directory.remove() }
    let longest =
      directory.path + "/" + String(repeating: "x", count: NamedSocket.pathLimit - directory.path.utf8.count - 1)
    let listener = try NamedSocket.listen(at: longest)
    _ = try NamedSocket.connect(to: longest)
    let accepted = try NamedSocket.accept(from: listener) != nil
    check(accepted)
    #expect(throws: Errno.nameTooLong) { _ = try NamedSocket.listen(at: longest + "x") }
    #expect(throws: Errno.nameTooLong) { _ = try NamedSocket.connect(to: longest + "x") }
    #expect(throws: Errno.nameTooLong) { _ = try NamedSocket.connect(to: "a\u{0}b") }
  }

  @Test func aListenerIsPrivateAndHasItsNameAlone() throws {
    let directory = try TemporaryDirectory(prefix: "names")
    defer { directory.remove() }
    let path = directory.path + "/socket"
    #expect(throws: Errno.noSuchFile) { _ = try NamedSocket.connect(to: path) }
    do {
      let listener = try NamedSocket.listen(at: path)
      check(try FileFacts(of: path) == FileFacts(kind: .socket, owner: geteuid(), mode: 0o600))
      #expect(throws: Errno.addressInUse) { _ = try NamedSocket.listen(at: path) }
      let nobody = try NamedSocket.accept(from: listener) == nil
      check(nobody)
      let socket = try NamedSocket.connect(to: path)
      check(try socket.peerCredentials().userID == geteuid())
    }
    #expect(throws: Errno.connectionRefused) { _ = try NamedSocket.connect(to: path) }
  }
}
