import CPortShims
import Glibc

/// An eventfd: the bell that wakes a poller from another thread.
package struct EventCounter: ~Copyable, Sendable {
  package let descriptor: Descriptor

  package init() throws(Errno) {
    descriptor = Descriptor(owning: CInt(try Syscall.check("eventfd") { Int(cps_eventfd()) }))
  }

  /// Makes the counter readable, and is an edge for edge-triggered pollers each time.
  /// A full counter (2^64 - 2 rings that nobody read) is readable already.
  package borrowing func ring() {
    var one: UInt64 = 1
    _ = unsafe write(descriptor.number, &one, MemoryLayout<UInt64>.size)
  }

  /// Makes the counter unreadable again. False when it was.
  @discardableResult
  package borrowing func clear() -> Bool {
    var value: UInt64 = 0
    return unsafe read(descriptor.number, &value, MemoryLayout<UInt64>.size) > 0
  }
}
