import Synchronization

/// Where a task waits for the one outcome of its call, which may come before the task does.
final class OutcomeGate: Sendable {
  private enum State {
    case empty
    case waiting(CheckedContinuation<OutcomeBox, Never>)
    case full(OutcomeBox)
  }

  private let state = Mutex(State.empty)

  func open(_ box: OutcomeBox) {
    let waiter = state.withLock { state -> CheckedContinuation<OutcomeBox, Never>? in
      if case .waiting(let waiter) = state { return waiter }
      state = .full(box)
      return nil
    }
    waiter?.resume(returning: box)
  }

  func wait() async -> OutcomeBox {
    await withCheckedContinuation { waiter in
      let box = state.withLock { state -> OutcomeBox? in
        if case .full(let box) = state { return box }
        state = .waiting(waiter)
        return nil
      }
      if let box { waiter.resume(returning: box) }
    }
  }
}
