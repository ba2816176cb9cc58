import LinuxSystem
import Synchronization

/// The run loop of one thread: modes, sources, timers, observers and blocks, with the order of events of CFRunLoop.
///
/// The loop holds its items and its blocks. It is bound to its thread and therefore not `Sendable`: every method
/// asserts that it is called there. Other threads get ``remote``. The loop ends with its thread; what is still in it
/// is taken out then.
///
/// It cannot happen that a wake-up, a stop or a deadline is lost to a nested run, that a port or a timer shuts out the
/// others for ever, or that a late event of a removed port reaches another one.
public final class RunLoop {
  /// The face for other threads.
  public let remote = Remote()

  /// 0 after the thread ended.
  private var ownerThread: UInt
  private var modeStates: [Mode: ModeState] = [:]
  private var lastMode: ModeState
  var commonModes = CommonModes<ObjectIdentifier, any LoopItem>()
  var blocks = BlockQueue<() -> Void>()

  /// Of the innermost run.
  var currentState: ModeState?
  var nestedRuns = 0
  /// The wake-up count when it began: what an entry observer counts on is for its first turn.
  var wakeUpsAtEntry: UInt64 = 0

  // Buffers that are kept from turn to turn. A callout that needs one while it is in use gets a new one.
  var events = ReadyEvents()
  var sourceBuffer: [Source0] = []
  var timerBuffer: [Timer] = []

  /// A loop of the calling thread. Users get theirs from ``current``.
  package init() {
    ownerThread = currentThreadNumber()
    lastMode = ModeState(name: .default)
    modeStates[.default] = lastMode
  }

  // MARK: State

  /// The mode of the innermost run; nil when the loop is not running.
  public var currentMode: Mode? {
    assertOwner()
    return currentState?.name
  }

  /// The modes that ever had something in them, and the default mode. In no order.
  public var modes: [Mode] {
    assertOwner()
    return Array(modeStates.keys)
  }

  /// Ends the innermost active run at the end of its turn; a nested run that is started later is not affected.
  /// See ``Remote/stop()``.
  public func stop() {
    assertOwner()
    remote.stop()
  }

  /// Makes the next sleep of this turn end at once. See ``Remote/wakeUp()``.
  public func wakeUp() {
    assertOwner()
    remote.wakeUp()
  }

  // MARK: Blocks

  /// Runs the block in one of the modes: in this turn, or, when it is given after the turn's last drain before the
  /// sleep, after that sleep. Does not wake the loop, as it is the loop's own thread that calls.
  ///
  /// Blocks run in the order in which they were given. A block for several modes runs once.
  public func perform(in modes: [Mode] = [.default], _ block: @escaping () -> Void) {
    assertOwner()
    collectMail()
    enqueue(BlockQueue.Block(modes: modes, body: block))
  }

  /// Moves the blocks of other threads to our own ones.
  @inline(__always)
  func collectMail() {
    guard remote.hasMail else { return }
    for block in remote.takeMail() { enqueue(BlockQueue.Block(modes: block.modes, body: block.body!)) }
  }

  private func enqueue(_ block: BlockQueue<() -> Void>.Block) {
    for mode in block.modes where mode != .common { _ = state(making: mode) }
    blocks.enqueue(block)
  }

  // MARK: Modes

  func state(of mode: Mode) -> ModeState? {
    if lastMode.name == mode { return lastMode }
    guard let state = modeStates[mode] else { return nil }
    lastMode = state
    return state
  }

  func state(making mode: Mode) -> ModeState {
    if let state = state(of: mode) { return state }
    precondition(modeStates.count < LoopLimits.modes, "too many modes; are their names made up at run time?")
    let state = ModeState(name: mode)
    modeStates[mode] = state
    return state
  }

  /// What step 2 and the end of a turn ask.
  func isEmpty(_ mode: ModeState) -> Bool {
    guard mode.isEmpty else { return false }
    collectMail()
    return blocks.isEmpty || !blocks.holdsBlock(for: mode.name, isCommon: commonModes.isCommon(mode.name))
  }

  // MARK: Thread

  @inline(__always)
  func assertOwner() {
    precondition(ownerThread == currentThreadNumber(), "a run loop was used on a thread that is not its own")
  }

  /// The thread ends: takes everything out, so that closures which hold the loop do not keep it alive.
  func end() {
    remote.close()
    blocks = BlockQueue()
    for item in commonModes.allItems { evict(item) }
    for mode in modeStates.values {
      for item in mode.allItems where item.isIn(mode) { evict(item) }
    }
    ownerThread = 0
  }

  deinit {
    // A loop that was not ended: items must not be left with a loop that is gone.
    if ownerThread != 0 { end() }
  }
}

@available(*, unavailable)
extension RunLoop: Sendable {}
