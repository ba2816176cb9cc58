import Synchronization

/// A thread or a task that waits for a message, in the line of its port. Whoever finds mail gives it to the first in
/// the line.
final class Waiter: Sendable {
  private struct Outcome: ~Copyable {
    var message: Message?
    var isTurnedAway = false
  }

  private let outcome = Mutex(Outcome())
  /// Of a task.
  let gate: TaskGate?

  init(_ gate: TaskGate? = nil) { self.gate = gate }

  func give(_ message: consuming Message) {
    var message: Message? = consume message
    outcome.withLock { $0.message = message.take() }
  }

  func take() -> Message? { outcome.withLock { $0.message.take() } }

  /// The port has another owner, or is gone.
  func turnAway() { outcome.withLock { $0.isTurnedAway = true } }

  var isTurnedAway: Bool { outcome.withLock { $0.isTurnedAway } }

  /// Nothing was decided yet.
  var isWaiting: Bool {
    outcome.withLock { outcome in
      if outcome.isTurnedAway { return false }
      switch outcome.message {
      case .some: return false
      case .none: return true
      }
    }
  }
}
