import CPortShims
import Glibc

/// An error number of the kernel, as a typed error.
package struct Errno: Error, RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: CInt

  package init(rawValue: CInt) { self.rawValue = rawValue }

  package static let interrupted = Errno(rawValue: EINTR)
  package static let wouldBlock = Errno(rawValue: EAGAIN)
  package static let brokenPipe = Errno(rawValue: EPIPE)
  package static let connectionReset = Errno(rawValue: ECONNRESET)
  package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  package static let noSuchFile = Errno(rawValue: ENOENT)
  package static let notConnected = Errno(rawValue: ENOTCONN)
  package static let tooManyDescriptors = Errno(rawValue: EMFILE)
  package static let tooManyDescriptorsInSystem = Errno(rawValue: ENFILE)
  package static let tooManyReferences = Errno(rawValue: ETOOMANYREFS)
  package static let noBufferSpace = Errno(rawValue: ENOBUFS)
  package static let outOfMemory = Errno(rawValue: ENOMEM)
  package static let messageTooLong = Errno(rawValue: EMSGSIZE)
  package static let addressInUse = Errno(rawValue: EADDRINUSE)
  package static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  package static let permissionDenied = Errno(rawValue: EACCES)
  package static let notPermitted = Errno(rawValue: EPERM)
  package static let fileExists = Errno(rawValue: EEXIST)
  package static let notADirectory = Errno(rawValue: ENOTDIR)
  package static let isLoop = Errno(rawValue: ELOOP)
  package static let noSuchProcess = Errno(rawValue: ESRCH)

  /// The peer's end is closed. ECONNRESET says in addition that mail of ours was never read.
  package var isDeadPeer: Bool { self == .brokenPipe || self == .connectionReset || self == .notConnected }

  /// This process or this user ran out of descriptors.
  package var isDescriptorShortage: Bool {
    self == .tooManyDescriptors || self == .tooManyDescriptorsInSystem || self == .tooManyReferences
  }

  package var description: String {
    var text = [CChar](repeating: 0, count: 128)
    unsafe text.withUnsafeMutableBufferPointer { buffer in
      _ = unsafe cps_error_text(rawValue, buffer.baseAddress!, buffer.count)
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The one policy for results of system calls (negative = -errno):
/// EINTR is retried, EAGAIN is a value, and the answers that only a bug of ours can cause end the process.
package enum Syscall {
  /// For calls that cannot answer EAGAIN in normal life; if one does, it is thrown.
  @discardableResult
  @inline(__always)
  package static func check(_ name: StaticString, _ call: () -> Int) throws(Errno) -> Int {
    while true {
      let result = call()
      if result >= 0 { return result }
      let error = Errno(rawValue: CInt(-result))
      if error == .interrupted { continue }
      try fail(error, name)
    }
  }

  /// Nil when the call would block.
  @inline(__always)
  package static func attempt(_ name: StaticString, _ call: () -> Int) throws(Errno) -> Int? {
    while true {
      let result = call()
      if result >= 0 { return result }
      let error = Errno(rawValue: CInt(-result))
      if error == .interrupted { continue }
      if error == .wouldBlock { return nil }
      try fail(error, name)
    }
  }

  @inline(never)
  private static func fail(_ error: Errno, _ name: StaticString) throws(Errno) {
    // A number that is no longer ours or memory that is not mapped: going on would touch a stranger's file.
    let impossible = [EBADF, EFAULT]
    precondition(!impossible.contains(error.rawValue), "\(name): \(error)")
    throw error
  }
}
