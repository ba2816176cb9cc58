import LinuxSystem
import TestSupport
import Testing

/// Random histories in real processes and on threads, against the reference model. `PORTKIT_SEED` repeats one.
@Suite(.serialized) struct HistoryTests {
  @Test("Histories of four processes, some of them killed, come to what the model says") func processes() async throws {
    // Not on a thread of the pool: there are two of them, and this takes long.
    let difference = try await onThread { Result { try Self.differenceOfProcesses() } }.get()
    check(difference == nil, "\(difference ?? "")")
  }

  private static func differenceOfProcesses() throws -> String? {
    let driver = try HistoryDriver(seed("HistoryTests.processes"), inProcesses: true)
    try driver.run(steps: Depth.isDeep ? 1_000_000 : 100_000)
    driver.end()
    print("HistoryTests: \(driver.steps) steps, \(driver.kills) kills, \(driver.quiescentPoints) quiescent points")
    return driver.difference
  }

  @Test("Histories of four threads in one process come to what the model says")
  func threads() async {
    await #expect(processExitsWith: .success) {
      // What the library opens once in a process is open from then on.
      let first = try HistoryDriver(SeededNumbers(seed: 1), inProcesses: false)
      first.end()
      let before = openDescriptors()
      do {
        let driver = try HistoryDriver(seed("HistoryTests.threads"), inProcesses: false)
        try driver.run(steps: 100_000)
        driver.end()
        check(driver.difference == nil, "\(driver.difference ?? "")")
      }
      checkCensus(before)
    }
  }
}
