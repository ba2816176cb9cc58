import LinuxSystem
import Synchronization

/// Callbacks of one right: one at a time, in the order of their calls' ends.
final class CallbackQueue: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  func add(_ body: @escaping @Sendable () -> Void) {
    let mustStart = state.withLock { state in
      state.waiting.append(body)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if mustStart { CallbackThreads.run { self.drain() } }
  }

  private func drain() {
    while let body = next() { body() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      if state.waiting.isEmpty {
        state.isRunning = false
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}

/// Threads for callbacks, as many as rights have one at work. A thread that is done waits for the next, without waking.
enum CallbackThreads {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var idle = 0
    var threads = 0
  }

  private static let state = Monitor(State())

  /// Makes sure that there is a thread, so that a job that comes later finds one.
  static func prepare() throws(PortError) {
    if ProcessMark.isForkedChild { return }
    let mustStart = state.withLock { state in
      if state.threads > 0 { return false }
      state.threads = 1
      return true
    }
    if mustStart, !startThread() { throw .threadShortage }
  }

  static func run(_ job: @escaping @Sendable () -> Void) {
    // In a child made by fork nobody may be left to give the lock back.
    if ProcessMark.isForkedChild { return runAlone(job) }
    let mustStart = state.withLock { state in
      state.jobs.append(job)
      if state.idle >= state.jobs.count || state.threads == Limits.callbackThreads { return false }
      state.threads += 1
      return true
    }
    // Without a further one the job waits for those that there are.
    if mustStart { _ = startThread() } else { state.notifyAll() }
  }

  /// For one who may be the first: it runs here where the system gives no thread at all.
  static func runAnyway(_ job: @escaping @Sendable () -> Void) {
    do { try prepare() } catch { return job() }
    run(job)
  }

  private static func runAlone(_ job: @escaping @Sendable () -> Void) {
    do { try WorkerThread.detached(job) } catch { job() }
  }

  private static func startThread() -> Bool {
    do {
      try WorkerThread.detached { serve() }
      return true
    } catch {
      state.withLock { $0.threads -= 1 }
      return false
    }
  }

  private static func serve() -> Never {
    while true {
      state.withLock { $0.idle += 1 }
      state.wait(until: Deadline(.distantFuture), while: { $0.jobs.isEmpty })
      let job = state.withLock { state in
        state.idle -= 1
        return state.jobs.isEmpty ? nil : state.jobs.removeFirst()
      }
      job?()
    }
  }
}
