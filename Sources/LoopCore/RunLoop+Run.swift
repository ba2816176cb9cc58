import LinuxSystem

/// What one run carries from step to step.
struct Run {
  let mode: ModeState
  let returnsAfterSource: Bool
  /// A run without time: it looks at everything once and never sleeps.
  let isPoll: Bool
  /// No deadline: `distantFuture`.
  let deadline: Instant
  /// The wake-up count that this run knows of. It sleeps only while nobody counted on.
  var wakeUpsSeen: UInt64

  @inline(__always)
  func deadlineHasPassed() -> Bool { isPoll || (deadline != .distantFuture && deadline <= Instant.now) }
}

extension RunLoop {
  /// Runs the loop in one mode until there is a result.
  ///
  /// - Parameters:
  ///   - mode: `.common` is not a mode and gives `.finished`, as a mode with nothing in it does.
  ///   - duration: nil runs without a deadline; zero and negative ones take one turn that does not sleep.
  ///   - returnAfterSourceHandled: return when a source was performed. Timers, blocks and wake-ups do not count.
  @discardableResult
  public func run(
    in mode: Mode = .default, for duration: Duration? = nil, returnAfterSourceHandled: Bool = false
  ) -> RunResult {
    assertOwner()
    guard let state = runnableState(of: mode) else { return .finished }  // steps 1, 2
    let outer = enter(state)  // step 3
    notify(.entry, state)  // step 4
    let result = remote.takeStop() ? .stopped : turns(in: state, duration, returnAfterSourceHandled)  // steps 5–7
    notify(.exit, state)  // step 8
    leave(to: outer)
    return result
  }

  /// Runs in the default mode until stopped, or until nothing is left in it.
  public func run() { run(in: .default, for: nil) }

  // MARK: Begin and end of a run

  private struct OuterRun {
    let mode: ModeState?
    let state: UInt8
    let wakeUpsSeen: UInt64
  }

  private func runnableState(of mode: Mode) -> ModeState? {
    guard mode != .common else { return nil }
    collectMail()
    guard let state = state(of: mode), !isEmpty(state) else { return nil }
    return state
  }

  private func enter(_ state: ModeState) -> OuterRun {
    precondition(nestedRuns < LoopLimits.nestedRuns, "runs are nested too deep; is a callout running its own mode?")
    nestedRuns += 1
    let outer = OuterRun(mode: currentState, state: remote.enterRun(), wakeUpsSeen: wakeUpsAtEntry)
    currentState = state
    wakeUpsAtEntry = remote.wakeUpCount
    return outer
  }

  private func leave(to outer: OuterRun) {
    nestedRuns -= 1
    currentState = outer.mode
    wakeUpsAtEntry = outer.wakeUpsSeen
    remote.leaveRun(restoring: outer.state)
  }

  // MARK: Turns

  private func turns(in mode: ModeState, _ duration: Duration?, _ returnsAfterSource: Bool) -> RunResult {
    var run = Run(
      mode: mode, returnsAfterSource: returnsAfterSource, isPoll: duration.map { $0 <= .zero } ?? false,
      deadline: duration.map { Instant.now.advanced(by: $0) } ?? .distantFuture, wakeUpsSeen: wakeUpsAtEntry)
    while true {
      if let result = turn(&run) { return result }
      run.wakeUpsSeen = remote.wakeUpCount  // step 1 of the next turn
    }
  }

  /// One turn. Step 8 is for the main queue, which this loop does not serve.
  private func turn(_ run: inout Run) -> RunResult? {
    let mode = run.mode
    notify(.beforeTimers, mode)  // step 2
    notify(.beforeSources, mode)  // step 3
    drainBlocks(in: mode)  // step 4
    let performed = performSources(of: run)  // step 5
    if performed { drainBlocks(in: mode) }  // step 6
    let polls = performed || run.isPoll  // step 7
    if !polls { notify(.beforeWaiting, mode) }  // step 9
    let event = waitForEvent(run, polls: polls)  // steps 10, 11
    if !polls { notify(.afterWaiting, mode) }  // step 12
    let served = serve(event, in: mode)  // step 13
    drainBlocks(in: mode)  // step 14
    return Self.verdict(  // step 15
      returnsAfterSource: run.returnsAfterSource, handledSource: performed || served,
      deadlinePassed: run.deadlineHasPassed(), takeStop: remote.takeStop(), modeIsEmpty: isEmpty(mode))
  }

  // MARK: Steps

  @inline(__always)
  private func notify(_ activity: Activity, _ mode: ModeState) {
    guard mode.observers.hasObservers(of: activity) else { return }
    for observer in mode.observers.observers(of: activity) { observer.call(activity) }
  }

  /// Steps 4, 6, 14.
  @inline(__always)
  private func drainBlocks(in mode: ModeState) {
    collectMail()
    if !blocks.isEmpty { drainPendingBlocks(in: mode) }
  }

  @inline(never)
  private func drainPendingBlocks(in mode: ModeState) {
    var list = blocks.takeAll()
    for index in list.indices where list[index].runs(in: mode.name, isCommon: commonModes.isCommon(mode.name)) {
      // Taken out first, so that its captures are released as soon as it was run.
      list[index].body.take()?()
    }
    blocks.putBack(list)
  }

  /// Step 5. True when at least one source was performed.
  @inline(__always)
  private func performSources(of run: borrowing Run) -> Bool {
    remote.hasSignalledSources && performSignalledSources(of: run)
  }

  private func performSignalledSources(of run: borrowing Run) -> Bool {
    var list: [Source0] = []
    swap(&list, &sourceBuffer)
    run.mode.collectSignalled(into: &list)
    var performed = false
    for source in list where source.performIfSignalled() {
      performed = true
      if run.returnsAfterSource { break }
    }
    list.removeAll(keepingCapacity: true)
    swap(&list, &sourceBuffer)
    return performed
  }

  /// Step 13. True when a source was performed: a port or a descriptor, not a timer.
  @inline(__always)
  private func serve(_ event: ReadyList<PortMember>.Entry?, in mode: ModeState) -> Bool {
    switch event {
    case nil: return false
    case .timersDue:
      fireDueTimers(in: mode)
      return false
    case .member(let member):
      return member.serve(in: mode)
    }
  }

  /// All that are due now, each looked at again just before it fires. What becomes due meanwhile waits for the next
  /// turn.
  private func fireDueTimers(in mode: ModeState) {
    let now = Instant.now
    var list: [Timer] = []
    swap(&list, &timerBuffer)
    mode.timers.collectDue(by: now, into: &list)
    for timer in list where timer.isToFire(at: now, on: self) { timer.fire() }
    list.removeAll(keepingCapacity: true)
    swap(&list, &timerBuffer)
  }
}
