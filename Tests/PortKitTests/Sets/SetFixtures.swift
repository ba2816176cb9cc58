import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Lets several threads of a test use one set.
final class SetBox: Sendable {
  let set: PortSet
  init(_ set: consuming PortSet) { self.set = set }
}

/// What came, and through which member.
struct Arrival: Hashable {
  var id: Int32
  var member: PortID?
}

extension PortSet {
  borrowing func next(timeout: Duration = .seconds(5)) -> Arrival? {
    guard let message = try? receive(timeout: timeout) else { return nil }
    return Arrival(id: message.id, member: message.localPort)
  }

  borrowing func waiting() -> Arrival? { next(timeout: .zero) }
}

/// The error of something that returns nothing that can be copied.
func refusal(_ body: () throws(PortError) -> Void) -> PortError? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

/// A thread whose result is waited for.
final class ResultThread<Value: Sendable>: Sendable {
  private let result = Monitor<Value?>(nil)
  private let thread: WorkerThread

  init(_ body: @escaping @Sendable () -> Value) {
    let result = self.result
    thread = WorkerThread {
      let value = body()
      result.withLock { $0 = value }
      result.notifyAll()
    }
  }

  var isFinished: Bool { result.withLock { $0 != nil } }

  /// Nil when nothing came within 5 seconds.
  func value() -> Value? {
    guard result.wait(until: Deadline(after: .seconds(5)), while: { $0 == nil }) else { return nil }
    thread.join()
    return result.withLock { $0 }
  }
}

/// Gives way to other threads until the condition holds. False when it does not within 5 seconds.
func eventually(_ condition: () -> Bool) -> Bool {
  let deadline = Deadline(after: .seconds(5))
  while !condition() {
    if deadline.hasPassed { return false }
    _ = try? waitForReadiness(of: 0, .readable, until: Deadline(after: .zero))
  }
  return true
}
