import CPortShims
import Glibc

/// Tells when something appears in a directory (inotify), without polling.
package struct DirectoryWatch: ~Copyable {
  /// Readable when something happened.
  package let descriptor: Descriptor

  package init(_ path: String) throws(Errno) {
    descriptor = Descriptor(owning: CInt(try Syscall.check("inotify") { Int(unsafe cps_inotify_watch(path)) }))
  }

  /// Forgets what happened so far.
  package borrowing func clear() {
    let number = descriptor.number
    var buffer = [UInt8](repeating: 0, count: 4096)
    while unsafe buffer.withUnsafeMutableBytes({ unsafe read(number, $0.baseAddress, $0.count) }) > 0 {}
  }
}
