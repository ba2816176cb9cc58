import CPortShims
import Glibc

/// A process that this one started: its output as lines, its end as something to wait for. Killed and reaped with its
/// owner, so that nothing stays behind.
package final class ChildProcess {
  package enum End: Hashable, Sendable {
    case exited(CInt)
    case signalled(CInt)
  }

  package let processID: CInt
  private let ending: Descriptor
  private var output: LineReader
  private var error: LineReader?
  private var end: End?

  /// - Parameters:
  ///   - environment: all of it; nil passes this process's on.
  ///   - capturesError: standard error is read by ``readErrorLine(until:)`` instead of passed on.
  ///   - diesWithThread: the kernel kills the child when the calling thread ends, however that ends.
  package init(
    _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, capturesError: Bool = false,
    diesWithThread: Bool = false
  ) throws(Errno) {
    let (reading, writing) = try Self.pipe()
    let outputEnd = Descriptor(owning: writing)
    output = LineReader(Descriptor(owning: reading))
    var errorNumber: CInt = -1
    if capturesError {
      let (reading, writing) = try Self.pipe()
      error = LineReader(Descriptor(owning: reading))
      errorNumber = writing
    }
    let child = Result { () throws(Errno) in
      try Self.spawn(path, arguments, environment, outputEnd.number, errorNumber, diesWithThread)
    }
    if errorNumber >= 0 { _ = Descriptor(owning: errorNumber) }
    processID = try child.get()
    let pid = processID
    ending = try Self.endOf(pid)
  }

  deinit {
    if end == nil {
      _ = cps_signal_process(processID, SIGKILL)
      _ = wait(until: Deadline(.distantFuture))
    }
  }

  /// Becomes readable when the child ends. A child that cannot be waited for must not run on behind our back.
  private static func endOf(_ pid: CInt) throws(Errno) -> Descriptor {
    do {
      return Descriptor(owning: CInt(try Syscall.check("pidfd_open") { Int(cps_pidfd(pid)) }))
    } catch {
      _ = cps_signal_process(pid, SIGKILL)
      var code: CInt = 0
      var wasSignal = false
      _ = try? Syscall.check("waitid") { Int(unsafe cps_reap(pid, &code, &wasSignal)) }
      throw error
    }
  }

  private static func pipe() throws(Errno) -> (CInt, CInt) {
    var reading: Int32 = -1
    var writing: Int32 = -1
    try Syscall.check("pipe2") { Int(unsafe cps_pipe(&reading, &writing)) }
    return (reading, writing)
  }

  private static func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String]?, _ output: CInt, _ error: CInt,
    _ diesWithThread: Bool
  ) throws(Errno) -> CInt {
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    var settings = unsafe (environment ?? [:]).map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    // No for-in loop: the formatter joins its `unsafe` with the variable.
    defer { unsafe (words + settings).forEach { unsafe free($0) } }
    let inherits = environment == nil
    let pid = try Syscall.check("fork") {
      unsafe words.withUnsafeMutableBufferPointer { words in
        unsafe settings.withUnsafeMutableBufferPointer { settings in
          Int(
            unsafe cps_spawn(
              path, words.baseAddress!, inherits ? environ : settings.baseAddress!, output, error, diesWithThread))
        }
      }
    }
    return CInt(pid)
  }

  // MARK: Output

  /// Nil at the end of the output, and when the deadline passed.
  package func readLine(until deadline: Deadline) -> String? { output.next(until: deadline) }

  package func readErrorLine(until deadline: Deadline) -> String? { error?.next(until: deadline) }

  // MARK: End

  package func signal(_ number: CInt) {
    if end == nil { _ = cps_signal_process(processID, number) }
  }

  package func kill() { signal(SIGKILL) }
  package func terminate() { signal(SIGTERM) }

  /// Nil when it was still running at the deadline.
  package func wait(until deadline: Deadline) -> End? {
    if let end { return end }
    let number = ending.number
    guard (try? waitForReadiness(of: number, .readable, until: deadline)) ?? true else { return nil }
    var code: CInt = 0
    var wasSignal = false
    let pid = processID
    _ = try? Syscall.check("waitid") { Int(unsafe cps_reap(pid, &code, &wasSignal)) }
    end = wasSignal ? .signalled(code) : .exited(code)
    return end
  }
}

/// Lines of a pipe, each read with a deadline.
private struct LineReader: ~Copyable {
  private let descriptor: Descriptor
  private var bytes: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  mutating func next(until deadline: Deadline) -> String? {
    while true {
      if let end = bytes[start...].firstIndex(of: 0x0a) {
        defer { start = end + 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
      }
      if isAtEnd { return takeRest() }
      let number = descriptor.number
      guard (try? waitForReadiness(of: number, .readable, until: deadline)) ?? false else { return nil }
      fill()
    }
  }

  private mutating func takeRest() -> String? {
    guard start < bytes.count else { return nil }
    defer { start = bytes.count }
    return String(decoding: bytes[start...], as: UTF8.self)
  }

  private mutating func fill() {
    bytes.removeFirst(start)
    start = 0
    let number = descriptor.number
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(number, $0.baseAddress, $0.count) }
    if count > 0 { bytes += chunk[..<count] } else { isAtEnd = true }
  }
}
