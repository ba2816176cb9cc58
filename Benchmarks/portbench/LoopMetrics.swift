import LinuxSystem
import LoopCore
import Synchronization

/// The run loop by itself.
enum LoopMetrics {
  /// What the two threads of a wake-up share.
  private final class Shared: Sendable {
    let arrived = Atomic<Int64>(0)
    let bell: EventCounter
    let loop = Monitor<(source: RunLoop.Signaller, remote: RunLoop.Remote)?>(nil)

    init(_ bell: consuming EventCounter) { self.bell = bell }
  }

  /// From a wake call in one thread to the callback in the loop's thread, which was asleep.
  static func wake(_ metric: String, _ time: Duration) {
    guard let bell = try? EventCounter() else { fail("no descriptor") }
    let shared = Shared(bell)
    let thread = WorkerThread {
      let source = RunLoop.Source0 {
        verify(
          shared.arrived.exchange(Instant.now.nanoseconds, ordering: .releasing) == 0, "two callbacks for a wake-up")
        shared.bell.ring()
      }
      RunLoop.current.add(source, to: .default)
      shared.loop.withLock { $0 = (source.signaller, RunLoop.current.remote) }
      shared.loop.notifyAll()
      RunLoop.current.run()
    }
    shared.loop.wait(until: Deadline(.distantFuture)) { $0 == nil }
    guard let (signaller, remote) = shared.loop.withLock({ $0 }) else { fail("no loop") }
    var samples = Samples()
    let warm = Instant.now.advanced(by: time / 8)
    let end = warm.advanced(by: time)
    while Instant.now < end {
      // Lets the loop go back to sleep.
      sleepUntil(Instant.now.advanced(by: .microseconds(100)))
      let start = Instant.now.nanoseconds
      signaller.signalAndWakeUp()
      _ = try? waitForReadiness(of: shared.bell.descriptor.number, .readable, until: Deadline(.distantFuture))
      shared.bell.clear()
      let arrived = shared.arrived.exchange(0, ordering: .acquiring)
      if start >= warm.nanoseconds { samples.add(Double(arrived - start) / 1000) }
    }
    remote.stop()
    thread.join()
    samples.report(metric, unit: "us")
  }

  /// One turn with a source that is always ready: means of 256 turns.
  static func turn(_ metric: String, _ time: Duration) {
    let loop = RunLoop.current
    var samples = Samples()
    var turns = 0
    let begin = Instant.now
    var last = begin
    var source: RunLoop.Source0?
    let again = RunLoop.Source0 {
      source?.signal()
      turns += 1
      if turns % 256 != 0 { return }
      let now = Instant.now
      samples.add(Double(now.nanoseconds - last.nanoseconds) / 256)
      last = now
      if begin.duration(to: now) > time { loop.stop() }
    }
    source = again
    loop.add(again, to: .default)
    again.signal()
    verify(loop.run(in: .default) == .stopped, "the run ended by itself")
    samples.report(metric, unit: "ns")
  }
}
