import LinuxSystem
package import LoopCore

/// The body of a test did not end within the watchdog's time.
package struct WatchdogExpired: Error {}

/// How long a test may take before it counts as hung. What a test waits for comes long before.
package let watchdog: Duration = .seconds(5)

/// Runs the body on a new thread with a loop of its own and waits for the end of that thread.
package func onLoopThread<Value: Sendable>(
  _ body: @escaping @Sendable (RunLoop) throws -> Value
) throws -> Value {
  let outcome = Monitor<Result<Value, any Error>?>(nil)
  let thread = WorkerThread {
    let result = Result { try body(RunLoop.current) }
    outcome.withLock { $0 = result }
    outcome.notifyAll()
  }
  guard outcome.wait(until: Deadline(after: watchdog), while: { $0 == nil }) else { throw WatchdogExpired() }
  thread.join()
  return try outcome.withLock { try $0!.get() }
}

/// Waits for a state that another thread brings about. False when the watchdog's time passed first.
@discardableResult
package func waitUntil(_ condition: () -> Bool) -> Bool {
  guard let bell = try? EventCounter() else { return false }
  let deadline = Deadline(after: watchdog)
  while !condition() {
    guard !deadline.hasPassed else { return false }
    _ = try? waitForReadiness(of: bell.descriptor.number, .readable, until: Deadline(after: .microseconds(200)))
  }
  return true
}

/// Keeps the calling thread busy for a while, as a slow callout does.
package func dawdle(_ duration: Duration) {
  let end = Instant.now.advanced(by: duration)
  while Instant.now < end {}
}

/// Runs what waits on a thread of its own: the pool's threads must stay free for the tasks that a test waits for.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { waiter in
    do {
      try WorkerThread.detached { waiter.resume(returning: body()) }
    } catch {
      preconditionFailure("no thread: \(error)")
    }
  }
}
