import FoundationEssentials
import Glibc
import LinuxSystem

/// The numbers of all descriptors that this process has open below 4096. Meaningful in an exit test only: other tests
/// run side by side in one process. The timers of libdispatch, which the test library starts when it likes, are left
/// out.
package func openDescriptors() -> Set<CInt> {
  Set((0..<4096).filter { isOpen($0) && !openFile($0).hasSuffix("[timerfd]") })
}

/// Nil when no descriptor is open that was not in `before`; else which. What the test library opens for a moment goes
/// away again within a second.
package func descriptorLeak(since before: Set<CInt>) -> String? {
  let deadline = Deadline(after: .seconds(1))
  while true {
    let new = openDescriptors().subtracting(before)
    if new.isEmpty { return nil }
    if deadline.hasPassed { return "left open: \(new.sorted().map { "\($0) \(openFile($0))" })" }
    sched_yield()
  }
}

package func isOpen(_ number: CInt) -> Bool { fcntl(number, F_GETFD) >= 0 }

private func openFile(_ number: CInt) -> String {
  (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) ?? "gone"
}
