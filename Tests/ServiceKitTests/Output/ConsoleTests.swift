import Glibc
import LinuxSystem
import ServiceKit
import Testing

/// Each test has a process of its own, whose standard streams it may spoil.
@Suite struct ConsoleTests {
  @Test func aReaderThatLeftEndsTheProcessWithSuccess() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      guard closeReaderOfOutput() else { exit(9) }
      ProcessFacts.ignoreBrokenPipes()
      Console.standard(program: "oven").data("bread\n")
      exit(8)
    }
    // The test library adds a mark of its own.
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(text?.contains("oven") == false)
  }

  @Test func outputThatCannotBeWrittenIsAFailure() async {
    let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
      let full = unsafe open("/dev/full", O_WRONLY)
      guard dup2(full, 1) == 1 else { exit(9) }
      Console.standard(program: "oven").data("bread\n")
      exit(8)
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(text?.contains("oven: cannot write the output: No space left on device\n") == true)
  }

  @Test func noSocketTakesTheNumberOfAClosedStream() async {
    await #expect(processExitsWith: .exitCode(1)) {
      close(0)
      close(1)
      StandardStream.fillGaps()
      let next = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
      if next < 3 { exit(9) }
      Console.standard(program: "oven").data("bread\n")
      exit(8)
    }
  }

  @Test func aSlowReaderGetsEverything() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      guard fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK) == 0 else { exit(9) }
      Console.standard(program: "oven").data(String(repeating: "bread\n", count: 100_000))
      exit(0)
    }
    #expect(try #require(result).standardOutputContent.count == 600_000)
  }
}

/// Makes standard output a pipe that nobody can read any more.
private func closeReaderOfOutput() -> Bool {
  var ends: [CInt] = [-1, -1]
  guard unsafe pipe(&ends) == 0 else { return false }
  return dup2(ends[1], 1) == 1 && close(ends[0]) == 0
}
