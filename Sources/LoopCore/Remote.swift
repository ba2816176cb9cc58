import LinuxSystem
import Synchronization

extension RunLoop {
  /// The face of a loop for other threads. Everything here may be called from any thread at any time, also after the
  /// loop's thread ended; then it does nothing.
  ///
  /// A wake-up is a count. A run remembers the count at the beginning of each turn and does not sleep when it has
  /// changed; so a wake-up sent while nobody runs is dropped, any number sent before the loop looks is one, and a
  /// nested run cannot take one that was meant for the run around it. Only a loop that sleeps costs a system call.
  public final class Remote: Sendable {
    typealias Block = BlockQueue<@Sendable () -> Void>.Block

    private enum Sleep {
      static let awake: UInt8 = 0
      static let asleep: UInt8 = 1
      /// Somebody rang already.
      static let rung: UInt8 = 2
    }

    /// Of the innermost run.
    enum RunState {
      static let idle: UInt8 = 0
      static let running: UInt8 = 1
      static let stopping: UInt8 = 2
    }

    private struct Inbox {
      var blocks: [Block] = []
      var isClosed = false
    }

    let bell: EventCounter
    private let wakeUps = Atomic<UInt64>(0)
    private let sleep = Atomic<UInt8>(Sleep.awake)
    private let runState = Atomic<UInt8>(RunState.idle)
    private let inbox = Mutex(Inbox())
    private let inboxCount = Atomic<Int>(0)
    /// How many source0s of this loop are signalled, in whatever mode.
    let signalledSources = Atomic<Int>(0)

    init() {
      do { bell = try EventCounter() } catch { preconditionFailure("no descriptor for a run loop: \(error)") }
    }

    // MARK: For everybody

    /// Runs the block on the loop's thread, in one of the modes, and wakes the loop for it.
    ///
    /// `CFRunLoopPerformBlock` does not wake the loop, which makes the call of little use from another thread: the
    /// block waits until something else happens. This one wakes. The block stays pending while no run is in one of its
    /// modes, and is released unrun when the loop's thread ends.
    public func perform(in modes: [Mode] = [.default], _ block: @escaping @Sendable () -> Void) {
      let isAccepted = inbox.withLock { inbox in
        if inbox.isClosed { return false }
        precondition(inbox.blocks.count < LoopLimits.pendingBlocks, "a million blocks wait for a loop that is busy")
        inbox.blocks.append(Block(modes: modes, body: block))
        inboxCount.add(1, ordering: .releasing)
        return true
      }
      if isAccepted { wakeUp() }
    }

    /// Makes a sleeping loop take another turn; it never ends a run. Dropped when the loop is not running, and between
    /// its waking and its next turn: that turn looks at everything anyway.
    public func wakeUp() {
      wakeUps.add(1, ordering: .sequentiallyConsistent)
      guard sleep.load(ordering: .sequentiallyConsistent) == Sleep.asleep else { return }
      let (rings, _) = sleep.compareExchange(
        expected: Sleep.asleep, desired: Sleep.rung, ordering: .sequentiallyConsistent)
      if rings { bell.ring() }
    }

    /// Ends the innermost active run at the end of its turn. Without an active run it does nothing and leaves nothing
    /// behind. Several stops of one run are one.
    public func stop() {
      let (stops, _) = runState.compareExchange(
        expected: RunState.running, desired: RunState.stopping, ordering: .sequentiallyConsistent)
      if stops { wakeUp() }
    }

    /// True while the loop sleeps; false in its observers around that.
    public var isWaiting: Bool { sleep.load(ordering: .sequentiallyConsistent) != Sleep.awake }

    // MARK: For the loop

    @inline(__always)
    var wakeUpCount: UInt64 { wakeUps.load(ordering: .sequentiallyConsistent) }

    /// Runs `wait` unless a wake-up came since the count was `token`, or the run is to stop. From the moment that this
    /// looks until `wait` returns, a waker rings the bell.
    func whileAsleep(since token: UInt64, _ wait: () -> Void) {
      sleep.store(Sleep.asleep, ordering: .sequentiallyConsistent)
      if wakeUpCount == token && !isStopping { wait() }
      sleep.store(Sleep.awake, ordering: .sequentiallyConsistent)
    }

    @inline(__always)
    var isStopping: Bool { runState.load(ordering: .sequentiallyConsistent) == RunState.stopping }

    /// Takes the stop of the innermost run.
    @inline(__always)
    func takeStop() -> Bool {
      guard isStopping else { return false }
      runState.store(RunState.running, ordering: .sequentiallyConsistent)
      return true
    }

    /// Makes a new run the innermost one. The result is the state of the run around it, for `leaveRun`.
    func enterRun() -> UInt8 { runState.exchange(RunState.running, ordering: .sequentiallyConsistent) }

    /// A stop that came too late for the run is dropped; one that the outer run got before is still there.
    func leaveRun(restoring outer: UInt8) { runState.store(outer, ordering: .sequentiallyConsistent) }

    @inline(__always)
    var hasSignalledSources: Bool { signalledSources.load(ordering: .acquiring) != 0 }

    @inline(__always)
    var hasMail: Bool { inboxCount.load(ordering: .acquiring) != 0 }

    func takeMail() -> [Block] {
      inbox.withLock { inbox in
        let blocks = inbox.blocks
        inbox.blocks = []
        inboxCount.store(0, ordering: .relaxed)
        return blocks
      }
    }

    /// The thread ends: what is pending is released unrun, what comes later is not kept.
    func close() {
      let dropped = inbox.withLock { inbox in
        inbox.isClosed = true
        inboxCount.store(0, ordering: .relaxed)
        let blocks = inbox.blocks
        inbox.blocks = []
        return blocks
      }
      // Released outside of the lock: a closure's captures may call back.
      withExtendedLifetime(dropped) {}
    }
  }
}
