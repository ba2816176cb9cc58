import LinuxSystem
import TestSupport
import Testing

@testable import LoopCore

/// The hand-shake between a waker and a loop that goes to sleep, step by step.
@Suite struct RemoteTests {
  @Test func aWakeUpBeforeTheLookPreventsTheSleep() {
    let remote = Loop.Remote()
    let seen = remote.wakeUpCount
    remote.wakeUp()
    remote.whileAsleep(since: seen) { Issue.record("slept over a wake-up") }
    let rang = remote.bell.clear()
    #expect(!rang, "an awake loop costs no system call")
  }

  @Test func aStopBeforeTheLookPreventsTheSleep() {
    let remote = Loop.Remote()
    let outer = remote.enterRun()
    remote.stop()
    remote.whileAsleep(since: remote.wakeUpCount) { Issue.record("slept over a stop") }
    #expect(remote.takeStop())
    #expect(!remote.takeStop())
    remote.leaveRun(restoring: outer)
  }

  @Test func aWakeUpInTheSleepRingsOnce() {
    let remote = Loop.Remote()
    var slept = false
    remote.whileAsleep(since: remote.wakeUpCount) {
      slept = true
      #expect(remote.isWaiting)
      remote.wakeUp()
      let rang = remote.bell.clear()
      #expect(rang)
      remote.wakeUp()
      let rangAgain = remote.bell.clear()
      #expect(!rangAgain)
      #expect(remote.isWaiting)
    }
    #expect(slept && !remote.isWaiting)
  }

  @Test func aStopBelongsToTheInnermostRun() {
    let remote = Loop.Remote()
    remote.stop()
    let none = remote.enterRun()
    #expect(!remote.isStopping, "a stop without a run leaves nothing behind")
    remote.stop()
    let outer = remote.enterRun()
    #expect(!remote.isStopping)
    remote.stop()
    #expect(remote.isStopping)
    // It comes too late: the inner run ends with another result.
    remote.leaveRun(restoring: outer)
    #expect(remote.takeStop(), "the outer run's own stop is still there")
    #expect(!remote.takeStop())
    remote.leaveRun(restoring: none)
    remote.stop()
    #expect(!remote.isStopping)
  }

  @Test func signalsAreCountedForTheLoopThatHasTheSource() {
    let remote = Loop.Remote()
    let signaller = Loop.Signaller()
    signaller.signal()
    #expect(!remote.hasSignalledSources)
    signaller.attach(to: remote)
    #expect(remote.hasSignalledSources)
    let first = signaller.firstSignal
    signaller.signal()
    #expect(signaller.firstSignal == first, "later signals do not move it")
    #expect(signaller.take() && !signaller.take())
    #expect(!remote.hasSignalledSources)
    signaller.signal()
    #expect(signaller.firstSignal > first)
    signaller.detach()
    #expect(!remote.hasSignalledSources && signaller.firstSignal != 0)
    signaller.invalidate()
    signaller.signal()
    #expect(signaller.firstSignal == 0)
  }

  @Test func manyThreadsSignalOneSource() {
    let remote = Loop.Remote()
    let signaller = Loop.Signaller()
    signaller.attach(to: remote)
    let threads = (0..<4).map { _ in WorkerThread { for _ in 0..<5_000 { signaller.signal() } } }
    var taken = 0
    for _ in 0..<5_000 where signaller.take() { taken += 1 }
    for thread in threads { thread.join() }
    _ = signaller.take()
    #expect(!remote.hasSignalledSources, "the count neither leaks nor goes below zero")
    #expect(taken <= 5_000)
  }
}
