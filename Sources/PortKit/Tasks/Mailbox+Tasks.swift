import LinuxSystem
import Synchronization

/// The reactor's watch on a port, made with the first task that waits there.
struct TaskWatch {
  let reactor: Reactor
  let key: UInt64
  /// The reactor looks again in a moment anyway.
  var isTimed = false
}

/// Ends the wait of one task.
private final class TaskDeadline: ReactorTimer {
  private let mailbox: Mailbox
  private let waiter: Waiter

  init(_ mailbox: Mailbox, _ waiter: Waiter) { (self.mailbox, self.waiter) = (mailbox, waiter) }

  func deadlinePassed() { mailbox.giveUp(waiter, .timedOut) }
}

/// Tasks stand in one line with the threads that wait for a port. No thread sleeps for them: while one of them stands
/// there, the reactor looks.
extension Mailbox: ReactorClient, ReactorTimer {
  func receiveInTask(owner: UInt64, until deadline: Deadline) async throws(PortError) -> Message {
    if Task.isCancelled { throw .cancelled }
    if let message = try receiveIfReady(owner: owner) { return message }
    if deadline.hasPassed { throw .timedOut }
    let reactor = try taskWatch().reactor
    let gate = TaskGate()
    let waiter = Waiter(gate)
    try withState(of: owner) { (state) throws(PortError) in state.waiters.append(waiter) }
    let timer = deadline.isNever ? nil : reactor.schedule(TaskDeadline(self, waiter), at: deadline)
    // Also for mail that came since the first look.
    serveTasks()
    let failure = await withTaskCancellationHandler {
      await gate.wait()
    } onCancel: {
      giveUp(waiter, .cancelled)
    }
    if let timer { reactor.cancel(timer: timer) }
    // Who was given a message before it was cancelled has it: it is out of the port.
    if let message = waiter.take() { return message }
    throw failure ?? .portChanged
  }

  private func taskWatch() throws(PortError) -> TaskWatch {
    let reactor = try Reactor.shared()
    return try translatingErrno { () throws(Errno) -> TaskWatch in
      try tasks.withLock { (tasks) throws(Errno) -> TaskWatch in
        if let tasks { return tasks }
        let watch = TaskWatch(reactor: reactor, key: try reactor.add(self, memberDescriptor, isKept: false))
        tasks = watch
        return watch
      }
    }
  }

  /// The waiter leaves the line, unless it was served or turned away.
  fileprivate func giveUp(_ waiter: Waiter, _ error: PortError) {
    let wasInLine = try? withState(of: nil) { (state) throws(PortError) -> Bool in
      // What came at the last moment is still in time.
      if error == .timedOut { try? state.serveWaiters(lookAround: true) }
      defer { state.settleBell(.owner) }
      guard let place = state.waiters.firstIndex(where: { $0 === waiter }) else { return false }
      state.waiters.remove(at: place)
      return true
    }
    state.notifyAll()
    if wasInLine == true { waiter.gate?.open(error) }
  }

  func descriptorIsReady(_ key: UInt64) { serveTasks() }

  /// Descriptors may be free again for a copy that waits.
  func deadlinePassed() {
    tasks.withLock { $0?.isTimed = false }
    serveTasks()
  }

  private func lookAgainSoon(_ reactor: Reactor) {
    let isTimed = tasks.withLock { tasks in
      defer { tasks?.isTimed = true }
      return tasks?.isTimed ?? true
    }
    if !isTimed { _ = reactor.schedule(self, at: Deadline(after: Limits.starvedPause)) }
  }

  /// Gives mail to those who wait, and has the reactor look on while a task is left among them.
  func serveTasks() {
    guard let watch = tasks.withLock({ $0 }) else { return }
    var mustLook = false
    repeat {
      var failed: (TaskGate, PortError)?
      mustLook = false
      try? withState(of: nil) { (state) throws(PortError) in
        failed = state.serveTasks()
        state.settleBell(.owner)
        // A port that is packed to leave gives nothing out; if it stays, this is called again.
        guard state.departure == nil, state.waiters.contains(where: { $0.gate != nil }) else { return }
        mustLook = state.hasStagedMail
        if mustLook { return }
        watch.reactor.arm(watch.key, memberDescriptor, .readable)
        if !state.starved.isEmpty { lookAgainSoon(watch.reactor) }
      }
      state.notifyAll()
      if let (gate, error) = failed { gate.open(error) }
    } while mustLook
  }
}

extension MailboxState {
  /// A port that cannot be looked at fails the first task that waits for it.
  fileprivate mutating func serveTasks() -> (TaskGate, PortError)? {
    do {
      try serveWaiters(lookAround: true)
      return nil
    } catch {
      guard let place = waiters.firstIndex(where: { $0.gate != nil }), let gate = waiters[place].gate else {
        return nil
      }
      waiters.remove(at: place)
      return (gate, PortError(error))
    }
  }
}
