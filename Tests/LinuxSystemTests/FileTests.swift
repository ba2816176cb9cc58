import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite struct FileTests {
  @Test func aLockHasOneHolderAndEndsWithIt() throws {
    let directory = try TemporaryDirectory(prefix: "locks")
    defer { directory.remove() }
    let path = directory.path + "/lock"
    do {
      guard let held = try FileLock.take(path) else {
        Issue.record("a fresh lock is taken")
        return
      }
      let other = try FileLock.take(path) == nil
      check(other && isOpen(held.number))
    }
    let again = try FileLock.take(path) != nil
    check(again)
    check(try FileFacts(of: path).mode == 0o600)
    #expect(throws: Errno.noSuchFile) { _ = try FileLock.take(directory.path + "/no/lock") }
  }

  @Test func aTemporaryDirectoryIsPrivateAndGoesWithItsContent() throws {
    let directory = try TemporaryDirectory(prefix: "things")
    let facts = try FileFacts(of: directory.path)
    check(facts == FileFacts(kind: .directory, owner: geteuid(), mode: 0o700))
    check(try makePrivateDirectory(directory.path + "/inner"))
    check(try !makePrivateDirectory(directory.path + "/inner"))
    _ = try FileLock.take(directory.path + "/inner/file")
    _ = try NamedSocket.listen(at: directory.path + "/inner/socket")
    directory.remove()
    #expect(throws: Errno.noSuchFile) { try FileFacts(of: directory.path) }
    #expect(throws: Errno.self) { try TemporaryDirectory(prefix: "no/such") }
  }

  @Test func aDirectoryWatchTellsOfNewNames() throws {
    let directory = try TemporaryDirectory(prefix: "watched")
    defer { directory.remove() }
    let watch = try DirectoryWatch(directory.path)
    let number = watch.descriptor.number
    check(try !waitForReadiness(of: number, .readable, until: Deadline(after: .zero)))
    _ = try FileLock.take(directory.path + "/file")
    check(try waitForReadiness(of: number, .readable, until: Deadline(after: .seconds(5))))
    watch.clear()
    check(try !waitForReadiness(of: number, .readable, until: Deadline(after: .zero)))
    #expect(throws: Errno.noSuchFile) { _ = try DirectoryWatch(directory.path + "/none") }
  }

  @Test func filesMoveInOneStep() throws {
    let directory = try TemporaryDirectory(prefix: "moved")
    defer { directory.remove() }
    _ = try FileLock.take(directory.path + "/a")
    try moveFile(directory.path + "/a", to: directory.path + "/b")
    #expect(throws: Errno.noSuchFile) { try moveFile(directory.path + "/a", to: directory.path + "/b") }
    removeFile(directory.path + "/b")
    #expect(throws: Errno.noSuchFile) { try FileFacts(of: directory.path + "/b") }
  }
}
