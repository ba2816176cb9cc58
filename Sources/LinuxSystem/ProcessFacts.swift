import CPortShims
import Glibc

/// What the kernel and the parent say about this process.
package enum ProcessFacts {
  /// Nil when the variable is not set. No thread may change the environment meanwhile (getenv(3)).
  package static func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// The identity that files are created with and checked against.
  package static var effectiveUser: UInt32 { geteuid() }

  /// The program runs with more rights than its user: variables of the user must not steer it.
  package static var isSecureExecution: Bool { cps_is_secure_execution() }

  /// Where this program lies: its siblings of the same build are there too.
  package static func executableDirectory() throws(Errno) -> String {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe readlink("/proc/self/exe", buffer.bindMemory(to: CChar.self).baseAddress!, buffer.count)
    }
    if count < 0 { throw Errno(rawValue: errno) }
    let path = String(decoding: bytes[..<count], as: UTF8.self)
    return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  package static var processID: Int32 { getpid() }

  /// From now on a write to a closed pipe is the error `brokenPipe` and no longer the death of the process.
  package static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }
}

/// Readable once the process has ended; throws when it has already. To be opened while it is known to be the one that
/// is meant, for its number may later be another one's.
package func openProcess(_ processID: Int32) throws(Errno) -> Descriptor {
  Descriptor(owning: CInt(try Syscall.check("pidfd_open") { Int(cps_pidfd(processID)) }))
}

/// Ends the process at once, without what `exit` would still run.
package func endProcess(_ status: Int32) -> Never { _exit(status) }
