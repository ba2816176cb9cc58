import Glibc

/// What a name in the file system stands for; a symbolic link stands for itself.
package struct FileFacts: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case directory, link, socket, other }

  package var kind: Kind
  package var owner: UInt32
  /// The twelve permission bits.
  package var mode: UInt32

  package init(kind: Kind, owner: UInt32, mode: UInt32) {
    self.kind = kind
    self.owner = owner
    self.mode = mode
  }

  /// Looks at the last component itself, whatever it is (lstat).
  package init(of path: String) throws(Errno) {
    var facts = stat()
    try Syscall.check("lstat") { Int(errnoResult(unsafe lstat(path, &facts))) }
    let kind: Kind =
      switch facts.st_mode & S_IFMT {
      case S_IFDIR: .directory
      case S_IFLNK: .link
      case S_IFSOCK: .socket
      default: .other
      }
    self.init(kind: kind, owner: facts.st_uid, mode: facts.st_mode & 0o7777)
  }
}

/// Tells a file from another one that got its name. Nil when there is none.
package func fileInode(of path: String) -> UInt64? {
  var facts = stat()
  return unsafe lstat(path, &facts) == 0 ? UInt64(facts.st_ino) : nil
}

/// Makes a directory that only its owner may enter. False when the name is taken, be it by a link to nowhere.
package func makePrivateDirectory(_ path: String) throws(Errno) -> Bool {
  do throws(Errno) {
    try Syscall.check("mkdir") { Int(errnoResult(unsafe mkdir(path, 0o700))) }
    return true
  } catch {
    if error == .fileExists { return false }
    throw error
  }
}
