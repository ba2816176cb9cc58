import Synchronization

extension RunLoop {
  /// Signals a ``Source0`` from any thread.
  public final class Signaller: Sendable {
    private struct State {
      var isValid = true
      /// Of the loop that the source is in.
      var remote: Remote?
    }

    private static let sequence = Atomic<UInt64>(0)

    private let state = Mutex(State())
    /// 0, or the number of the first signal since the last perform. Changed with the lock held only, read without.
    private let mark = Atomic<UInt64>(0)

    init() {}

    /// Marks the source for the next turn in one of its modes. Any number of signals before the perform is one.
    /// Does not wake the loop: call ``RunLoop/Remote/wakeUp()``, or ``signalAndWakeUp()`` instead of this.
    public func signal() { _ = markSignalled() }

    /// `signal`, then a wake-up of the loop that the source is in.
    public func signalAndWakeUp() { markSignalled()?.wakeUp() }

    private func markSignalled() -> Remote? {
      state.withLock { state in
        guard state.isValid else { return nil }
        if mark.load(ordering: .relaxed) == 0 {
          mark.store(Self.sequence.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
          state.remote?.signalledSources.add(1, ordering: .releasing)
        }
        return state.remote
      }
    }

    // MARK: The loop's side

    /// When the source was first signalled since its last perform, in numbers that rise over all sources; 0 when not.
    @inline(__always)
    var firstSignal: UInt64 { mark.load(ordering: .relaxed) }

    /// Takes the signal. False when there is none.
    func take() -> Bool {
      state.withLock { state in
        guard mark.load(ordering: .relaxed) != 0 else { return false }
        mark.store(0, ordering: .relaxed)
        state.remote?.signalledSources.subtract(1, ordering: .relaxed)
        return true
      }
    }

    /// Signals count for this loop from now on, also one that is pending.
    func attach(to remote: Remote) {
      state.withLock { state in
        assert(state.remote == nil)
        state.remote = remote
        if mark.load(ordering: .relaxed) != 0 { remote.signalledSources.add(1, ordering: .relaxed) }
      }
    }

    func detach() {
      state.withLock { state in
        if mark.load(ordering: .relaxed) != 0 { state.remote?.signalledSources.subtract(1, ordering: .relaxed) }
        state.remote = nil
      }
    }

    func invalidate() {
      _ = take()
      state.withLock { $0.isValid = false }
    }
  }
}
