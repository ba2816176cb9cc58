import CPortShims
import Glibc

/// Signals that end a program, as something to wait for. They are blocked for the calling thread and the threads that it
/// starts later: to be made early, on the main thread.
package struct SignalDescriptor: ~Copyable {
  package enum Signal: CInt, Sendable {
    case interrupt = 2
    case terminate = 15
  }

  package let descriptor: Descriptor

  package init(_ signals: [Signal]) throws(Errno) {
    let numbers = signals.map(\.rawValue)
    let number = try Syscall.check("signalfd") {
      Int(unsafe numbers.withUnsafeBufferPointer { unsafe cps_signalfd($0.baseAddress!, CInt($0.count)) })
    }
    descriptor = Descriptor(owning: CInt(number))
  }

  /// The name of a signal that came; nil when none is pending.
  package borrowing func read() -> String? {
    let number = cps_signalfd_read(descriptor.number)
    guard number > 0 else { return nil }
    return number == SIGTERM ? "SIGTERM" : number == SIGINT ? "SIGINT" : "signal \(number)"
  }
}
