import Synchronization

/// Where a task waits until its place in the line of a port is decided, which may happen before the task gets here.
final class TaskGate: Sendable {
  private enum State {
    case closed
    case waiting(CheckedContinuation<PortError?, Never>)
    case open(PortError?)
  }

  private let state = Mutex(State.closed)

  /// - Parameter error: why it gets no message; nil when it was given one, or when its port has changed.
  func open(_ error: PortError? = nil) {
    let waiting = state.withLock { state -> CheckedContinuation<PortError?, Never>? in
      switch state {
      case .open: return nil
      case .closed:
        state = .open(error)
        return nil
      case .waiting(let continuation):
        state = .open(error)
        return continuation
      }
    }
    waiting?.resume(returning: error)
  }

  /// To be called once.
  func wait() async -> PortError? {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state -> Bool in
        if case .open = state { return true }
        state = .waiting(continuation)
        return false
      }
      if isOpen { continuation.resume(returning: error) }
    }
  }

  private var error: PortError? {
    state.withLock { if case .open(let error) = $0 { error } else { nil } }
  }
}
