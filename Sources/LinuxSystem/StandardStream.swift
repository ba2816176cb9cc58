import Glibc

/// Standard output or standard error of this process.
package enum StandardStream: CInt, Sendable {
  case output = 1
  case error = 2

  /// Writes all bytes, also to a pipe that somebody made non-blocking. Throws `brokenPipe` only in a process that
  /// ignores SIGPIPE; the signal ends every other one. A stream that the parent closed is an error like any other.
  package func write(_ text: String) throws(Errno) {
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let result = put(bytes[start...])
      if result >= 0 {
        start += result
        continue
      }
      switch Errno(rawValue: CInt(-result)) {
      case .interrupted: break
      case .wouldBlock: _ = try waitForReadiness(of: rawValue, .writable, until: Deadline(.distantFuture))
      case let error: throw error
      }
    }
  }

  /// Writes a line of at most 4096 bytes unless that could block: a pipe that nobody reads must not stop a daemon. What
  /// finds no room is lost.
  package func writeIfRoom(_ text: String) {
    precondition(text.utf8.count <= 4096, "more than a pipe surely has room for when it is writable")
    let isWritable = try? waitForReadiness(of: rawValue, .writable, until: Deadline(after: .zero))
    if isWritable == true { try? write(text) }
  }

  private func put(_ bytes: ArraySlice<UInt8>) -> Int {
    let result = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(rawValue, $0.baseAddress, $0.count) }
    return result < 0 ? Int(-errno) : result
  }

  /// Gives the numbers 0 to 2 to /dev/null where the parent closed them, so that no socket of ours gets one of them and
  /// then the program's output. Opened the wrong way round: using the stream is still an error.
  package static func fillGaps() {
    // open takes the lowest free number, so lower gaps are filled before higher ones are met.
    for number: CInt in 0...2 where fcntl(number, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  /// "device:inode" in decimal, as systemd writes it into JOURNAL_STREAM. Nil when the stream is closed.
  package var identity: String? {
    var facts = stat()
    guard unsafe fstat(rawValue, &facts) == 0 else { return nil }
    return "\(facts.st_dev):\(facts.st_ino)"
  }

  package var isTerminal: Bool { isatty(rawValue) == 1 }
}
