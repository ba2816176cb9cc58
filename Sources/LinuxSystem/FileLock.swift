import CPortShims
import Glibc

/// A lock that ends with the process, however that ends.
package enum FileLock {
  /// Nil when another process holds it. The file is made when it is missing; its content does not matter.
  package static func take(_ path: String) throws(Errno) -> Descriptor? {
    let number = try Syscall.check("open") { Int(unsafe cps_open_lock(path)) }
    let file = Descriptor(owning: CInt(number))
    guard try Syscall.attempt("flock", { Int(errnoResult(flock(CInt(number), LOCK_EX | LOCK_NB))) }) != nil else {
      return nil
    }
    return file
  }
}

/// Removes a name; a missing one is no error.
package func removeFile(_ path: String) { _ = unsafe unlink(path) }

/// Gives a file another name in the same file system, in one step.
package func moveFile(_ path: String, to newPath: String) throws(Errno) {
  try Syscall.check("rename") { Int(unsafe errnoResult(rename(path, newPath))) }
}
