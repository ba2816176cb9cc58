import LinuxSystem

extension RunLoop {
  /// Steps 10 and 11: the one event that this turn serves; nil when a wake-up, a stop or the deadline ended the sleep,
  /// and when a poll found nothing.
  ///
  /// What turns out to be old – the bell rung for an earlier sleep, a port that another run emptied, a timer that was
  /// moved – does not end the sleep.
  func waitForEvent(_ run: borrowing Run, polls: Bool) -> ReadyList<PortMember>.Entry? {
    let mode = run.mode
    while true {
      if mode.ready.roundIsOver { look(run, polls: polls) }
      while let entry = mode.ready.next() {
        switch entry {
        case .timersDue: if mode.timers.isDue(by: .now) { return entry }
        case .member(let member): if member.fetch() { return entry }
        }
      }
      if polls || mayNotSleep(run) { return nil }
    }
  }

  /// One look at the clock and the kernel. It sleeps when it may and when there is nothing to serve.
  ///
  /// Timers that were overdue before go before the ports that it finds, those that became due in it go after them:
  /// so neither a port that is always ready nor a timer that is always due shuts out the other.
  @inline(__always)
  private func look(_ run: borrowing Run, polls: Bool) {
    let mode = run.mode
    markDueTimers(of: mode)
    if polls || !mode.ready.isEmpty || mayNotSleep(run) {
      if mode.ready.memberCount > 0 { mode.wait(into: &events, until: Deadline(Instant(nanoseconds: 0))) }
    } else {
      sleep(run)
      markDueTimers(of: mode)
    }
    mode.ready.beginRound()
  }

  @inline(__always)
  private func markDueTimers(of mode: ModeState) {
    if mode.timers.count > 0 && mode.timers.isDue(by: .now) { mode.ready.markTimersDue() }
  }

  /// The one wait of a turn: its time limit is the run's deadline or the next timer, whichever is earlier.
  private func sleep(_ run: borrowing Run) {
    let mode = run.mode
    mode.openPoller(bell: remote)
    let limit = min(run.deadline, mode.timers.earliest ?? .distantFuture)
    remote.whileAsleep(since: run.wakeUpsSeen) { mode.wait(into: &events, until: Deadline(limit)) }
  }

  /// Looked at again right before each sleep, since an observer may have nested a run for any length of time.
  private func mayNotSleep(_ run: borrowing Run) -> Bool {
    remote.wakeUpCount != run.wakeUpsSeen || remote.isStopping || run.deadlineHasPassed()
  }
}
