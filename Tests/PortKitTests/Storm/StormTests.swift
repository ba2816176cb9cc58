import LinuxSystem
import TestSupport
import Testing

/// Processes that own ports, hold rights and move both, some of which are killed in the middle of it. `PORTKIT_SEED`
/// repeats the choices of the test, but not who is faster.
@Suite(.serialized) struct StormTests {
  @Test(
    """
    Processes are killed at random points: every call ends, with its own reply or none; each send-once right gives one \
    message or notice; pairs that live lose no message; no-senders is neither missing nor early; no descriptor is left
    """)
  func storm() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      let rounds = Depth.isDeep ? 10_000 : 300
      let before = openDescriptors()
      do {
        let start = Instant.now
        let driver = try StormDriver(seed("StormTests.storm"))
        do { try driver.run(rounds: rounds) } catch { Issue.record("round \(driver.rounds): \(error)") }
        driver.end()
        print(
          "StormTests: \(driver.rounds) rounds, \(driver.kills) kills, \(driver.ports) ports, of which",
          "\(driver.movedPorts) had moved, \(driver.messages) messages, \(driver.notices) send-once notices,",
          "\(driver.counts), \(start.duration(to: .now))")
        check(driver.faults.isEmpty, "round \(driver.rounds): \(driver.faults)")
        // A storm in which nothing happens proves nothing.
        check(driver.kills > rounds / 4 && driver.movedPorts > rounds / 4 && driver.notices > rounds)
        check(driver.messages > rounds && driver.counts.replies > UInt32(rounds))
      }
      checkCensus(before)
    }
    for text in [result?.standardOutputContent, result?.standardErrorContent] {
      print(String(decoding: text ?? [], as: UTF8.self))
    }
  }
}
