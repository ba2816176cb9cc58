import Glibc

/// Standard output or standard error of this process.
package enum StandardStream: CInt, Sendable {
  case output = 1
  case error = 2

  /// Writes all bytes, also to a pipe that somebody made non-blocking. Throws `brokenPipe` only in a process that
  /// ignores SIGPIPE; the signal ends every other one.
  package func write(_ text: String) throws(Errno) {
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let written = try Syscall.attempt("write") { put(bytes[start...]) }
      if let written {
        start += written
      } else {
        _ = try waitForReadiness(of: rawValue, .writable, until: Deadline(.distantFuture))
      }
    }
  }

  private func put(_ bytes: ArraySlice<UInt8>) -> Int {
    let result = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(rawValue, $0.baseAddress, $0.count) }
    return result < 0 ? Int(-errno) : result
  }

  /// "device:inode" in decimal, as systemd writes it into JOURNAL_STREAM. Nil when the stream is closed.
  package var identity: String? {
    var facts = stat()
    guard unsafe fstat(rawValue, &facts) == 0 else { return nil }
    return "\(facts.st_dev):\(facts.st_ino)"
  }

  package var isTerminal: Bool { isatty(rawValue) == 1 }
}
