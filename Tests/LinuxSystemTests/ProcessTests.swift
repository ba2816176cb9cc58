import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite struct ProcessTests {
  private let soon = Deadline(after: .seconds(10))

  @Test func outputComesInLinesAndTheEndHasItsCode() throws {
    let child = try ChildProcess(
      "/bin/sh", ["-c", "echo one; printf two; echo three >&2; exit 3"], capturesError: true)
    check(child.readLine(until: soon) == "one")
    check(child.readLine(until: soon) == "two")
    check(child.readLine(until: soon) == nil)
    check(child.readErrorLine(until: soon) == "three")
    check(child.wait(until: soon) == .exited(3))
    check(child.wait(until: soon) == .exited(3))
  }

  @Test func aLineThatDoesNotComeAndAnEndThatDoesNotCome() throws {
    let child = try ChildProcess("/bin/cat", ["/dev/zero"])
    check(child.wait(until: Deadline(after: .zero)) == nil)
    let other = try ChildProcess("/bin/sh", ["-c", "kill -STOP $$; echo late"])
    check(other.readLine(until: Deadline(after: .milliseconds(1))) == nil)
    other.kill()
    check(other.wait(until: soon) == .signalled(SIGKILL))
    child.terminate()
    check(child.wait(until: soon) == .signalled(SIGTERM))
  }

  @Test func theEnvironmentIsPassedOnOrReplaced() throws {
    let child = try ChildProcess("/bin/sh", ["-c", "echo \"$NAME:$HOME\""], environment: ["NAME": "value"])
    check(child.readLine(until: soon) == "value:")
    let heir = try ChildProcess("/bin/sh", ["-c", "echo \"$PATH\""])
    check(heir.readLine(until: soon) == ProcessFacts.environment("PATH"))
  }

  @Test func aProgramThatIsNotThereExitsWith127() throws {
    let child = try ChildProcess("/no/such/program")
    check(child.wait(until: soon) == .exited(127))
  }

  @Test func nothingStaysBehind() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      let processID: CInt
      do {
        let child = try ChildProcess("/bin/cat", ["/dev/zero"], capturesError: true)
        processID = child.processID
        check(kill(processID, 0) == 0)
      }
      check(kill(processID, 0) == -1)
      checkCensus(before)
    }
  }

  /// Out of descriptors at every step of the start: an error, and neither descriptor nor process is left.
  @Test func aFailedStartLeavesNothing() async {
    await #expect(processExitsWith: .success) {
      var failures = 0
      for room in 0..<10 {
        let filler = try DescriptorFiller(limit: 100, room: room)
        defer { filler.release(100) }
        let before = openDescriptors()
        do {
          let child = try ChildProcess("/bin/cat", ["/dev/zero"], capturesError: true)
          child.kill()
        } catch {
          check((error as? Errno) == Errno.tooManyDescriptors)
          failures += 1
        }
        checkCensus(before)
        // No child is left, neither running nor as a zombie.
        var status: CInt = 0
        let left = unsafe waitpid(-1, &status, WNOHANG)
        check(left == -1)
      }
      check((1..<10).contains(failures))
    }
  }

  @Test func signalsAreReadFromADescriptor() async {
    await #expect(processExitsWith: .success) {
      let thread = WorkerThread {
        guard let signals = try? SignalDescriptor([.interrupt, .terminate]) else {
          exit(3)
        }
        if signals.read() != nil { exit(4) }
        pthread_kill(pthread_self(), SIGTERM)
        let number = signals.descriptor.number
        guard (try? waitForReadiness(of: number, .readable, until: Deadline(after: .seconds(5)))) == true else {
          exit(5)
        }
        if signals.read() != "SIGTERM" { exit(6) }
        pthread_kill(pthread_self(), SIGINT)
        if signals.read() != "SIGINT" || signals.read() != nil { exit(7) }
      }
      thread.join()
    }
  }

  @Test func theDescriptorLimitRises() async {
    await #expect(processExitsWith: .success) {
      try setDescriptorLimit(64)
      check(try raiseDescriptorLimit() > 64)
    }
  }

  @Test func threadSlotsBelongToTheirThreads() async {
    final class Witness: Sendable {
      let counter: Monitor<Int>
      init(_ counter: Monitor<Int>) { self.counter = counter }
      deinit { counter.withLock { $0 += 1 } }
    }
    let released = Monitor(0)
    let thread = WorkerThread {
      check(ThreadSlot.object == nil)
      ThreadSlot.keep(Witness(released))
      check(ThreadSlot.object is Witness)
      check(!isMainThread())
    }
    thread.join()
    check(released.withLock { $0 } == 1)
  }
}
