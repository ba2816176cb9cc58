import Glibc
import LinuxSystem

// Swift hides it, because a child of a process with threads may do next to nothing.
@_silgen_name("fork") private func forkProcess() -> CInt

/// What a test does to its own process and files. For exit tests.
package enum RawProcess {
  /// No other thread may read the environment meanwhile.
  package static func set(_ variable: String, _ value: String) { _ = unsafe setenv(variable, value, 1) }

  /// Runs the closure in a child made by `fork`, which then ends with status 0 when it returned true. Returns the
  /// child's number; the child is reaped by ``end(of:)``.
  package static func inForkedChild(_ body: () -> Bool) -> Int32 {
    let child = forkProcess()
    if child == 0 { _exit(body() ? 0 : 1) }
    return child
  }

  /// The status of a child that exited within ten seconds; else nil, and the child is killed.
  package static func end(of child: Int32) -> Int32? {
    do {
      let process = try openProcess(child)
      let deadline = Deadline(after: .seconds(10))
      if try !waitForReadiness(of: process.number, .readable, until: deadline) { kill(child, SIGKILL) }
    } catch {
      kill(child, SIGKILL)
    }
    var status: CInt = 0
    _ = unsafe waitpid(child, &status, 0)
    return status & 0x7f == 0 ? status >> 8 : nil
  }

  /// Waits for a signal for ever.
  package static func waitForSignal() -> Never {
    while true { pause() }
  }

  /// How many processes and threads this user may have; the superuser may have any number. Returns the limit before.
  @discardableResult
  package static func setThreadLimit(_ count: UInt) -> UInt {
    let resource = __rlimit_resource_t(6)  // RLIMIT_NPROC, which Swift does not see.
    var limit = rlimit()
    _ = unsafe getrlimit(resource, &limit)
    let before = limit.rlim_cur
    limit.rlim_cur = min(count, limit.rlim_max)
    _ = unsafe setrlimit(resource, &limit)
    return before
  }

  /// Lets every user do everything with a file.
  package static func openToAll(_ path: String) -> Bool { unsafe chmod(path, 0o777) == 0 }
}
