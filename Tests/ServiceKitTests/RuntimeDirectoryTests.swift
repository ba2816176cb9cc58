import FoundationEssentials
import LinuxSystem
import Testing

@testable import ServiceKit

@Suite struct RuntimeDirectoryTests {
  private func error(_ body: () throws -> Void) -> RuntimeDirectoryError? {
    do { try body() } catch { return error as? RuntimeDirectoryError }
    return nil
  }

  /// A fresh directory below the temporary one.
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "portkit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  @Test func aMissingDirectoryIsMadeForItsOwnerOnly() throws {
    try withFolder { folder in
      let directory = try RuntimeDirectory(forSocketAt: "\(folder)/portd/bootstrap.sock")
      #expect(directory.path == "\(folder)/portd")
      try directory.ensure()
      let facts = try FileFacts(of: directory.path)
      #expect(facts == FileFacts(kind: .directory, owner: ProcessFacts.effectiveUser, mode: facts.mode))
      #expect(facts.mode & 0o777 == 0o700)
      try directory.ensure()
    }
  }

  @Test func anOpenDirectoryIsRefusedWithTheCure() throws {
    try withFolder { folder in
      let path = "\(folder)/portd"
      let directory = try RuntimeDirectory(forSocketAt: "\(path)/bootstrap.sock")
      try directory.ensure()
      for mode in [0o701, 0o750, 0o777, 0o500, 0o000] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let fault = error { try directory.ensure() }
        #expect(fault == .open(path, mode: UInt32(mode)))
        #expect(fault?.report.hasSuffix("mend it with: chmod 700 \(path)") == true)
        #expect(fault?.exitStatus == ExitStatus.Daemon.noPermission)
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
      try directory.ensure()
    }
  }

  @Test func linksAreNotFollowed() throws {
    try withFolder { folder in
      try FileManager.default.createDirectory(atPath: "\(folder)/real", withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(atPath: "\(folder)/portd", withDestinationPath: "\(folder)/real")
      let fault = error { try RuntimeDirectory(forSocketAt: "\(folder)/portd/b").ensure() }
      #expect(fault == .notADirectory("\(folder)/portd", isLink: true))
      #expect(fault?.report.hasSuffix("mv \(folder)/portd \(folder)/portd.old") == true)
      try FileManager.default.createSymbolicLink(atPath: "\(folder)/nowhere", withDestinationPath: "\(folder)/gone")
      #expect(
        error { try RuntimeDirectory(forSocketAt: "\(folder)/nowhere/b").ensure() }
          == .notADirectory("\(folder)/nowhere", isLink: true))
    }
  }

  @Test func filesAndMissingParentsAreRefused() throws {
    try withFolder { folder in
      try Data().write(to: URL(filePath: "\(folder)/portd"))
      #expect(
        error { try RuntimeDirectory(forSocketAt: "\(folder)/portd/b").ensure() }
          == .notADirectory("\(folder)/portd", isLink: false))
      #expect(error { try RuntimeDirectory(forSocketAt: "\(folder)/portd/x/b").ensure() } != nil)
      let fault = error { try RuntimeDirectory(forSocketAt: "\(folder)/none/portd/b").ensure() }
      #expect(fault == .noParent("\(folder)/none/portd"))
      #expect(fault?.report.hasSuffix("mkdir -p -m 700 \(folder)/none/portd") == true)
      #expect(fault?.exitStatus == ExitStatus.Daemon.notConfigured)
    }
  }

  @Test func otherOwnersAreRefused() {
    let facts = FileFacts(kind: .directory, owner: 7, mode: 0o700)
    let ours = RuntimeDirectory.fault(of: facts, path: "/run/user/1000/portd", user: 1000)
    #expect(ours == .foreign("/run/user/1000/portd", owner: 7, user: 1000))
    #expect(ours?.report.hasSuffix("sudo chown 1000 /run/user/1000/portd") == true)
    #expect(RuntimeDirectory.fault(of: facts, path: "/run/user/7/portd", user: 7) == nil)
  }

  @Test func nobodyIsToldToCloseASharedDirectory() {
    for (path, own) in [("/tmp", "/tmp/portd"), ("/", "/portd"), ("/srv/a b", "'/srv/a b/portd'")] {
      let facts = FileFacts(kind: .directory, owner: 0, mode: 0o1777)
      for user: UInt32 in [0, 1000] {
        let report = RuntimeDirectory.fault(of: facts, path: path, user: user)?.report
        #expect(report?.hasSuffix("mkdir -m 700 \(own)") == true)
        #expect(report?.contains("chmod") == false)
      }
    }
  }

  @Test func inheritedBitsDoNotMatter() {
    let facts = FileFacts(kind: .directory, owner: 7, mode: 0o2700)
    #expect(RuntimeDirectory.fault(of: facts, path: "/x/portd", user: 7) == nil)
  }

  @Test func pathsAreJudgedFirst() throws {
    let longest = "/" + String(repeating: "x", count: 106)
    #expect(try RuntimeDirectory(forSocketAt: longest).path == "/")
    #expect(error { _ = try RuntimeDirectory(forSocketAt: longest + "x") } == .tooLong(longest + "x"))
    #expect(error { _ = try RuntimeDirectory(forSocketAt: "portd/b") } == .notAbsolute("portd/b"))
    #expect(error { _ = try RuntimeDirectory(forSocketAt: "") } == .notAbsolute(""))
    for path in ["/run/portd/", "/run/.", "/run/.."] {
      #expect(error { _ = try RuntimeDirectory(forSocketAt: path) } == .notAFileName(path))
    }
    #expect(RuntimeDirectoryError.tooLong("/x").exitStatus == .usage)
  }
}
