import LinuxSystem
import ServiceKit
import Testing

@Suite struct LogTests {
  private let lines = Monitor<[String]>([])
  private let clock = Monitor(Instant(nanoseconds: 0))

  private func log(_ level: LogLevel, hasPriorities: Bool = false) -> Log {
    Log(
      program: "portd", level: level, hasPriorities: hasPriorities,
      limiter: RateLimiter(burst: 2, interval: .seconds(1)),
      now: { [clock] in clock.withLock { $0 } }, sink: { [lines] line in lines.withLock { $0.append(line) } })
  }

  private var written: [String] { lines.withLock { $0 } }

  @Test func levelsAreThoseOfSyslog() {
    #expect(LogLevel.allCases.map(\.rawValue) == [3, 4, 5, 6, 7])
    #expect(LogLevel.allCases.map(\.name) == ["error", "warning", "notice", "info", "debug"])
    #expect(LogLevel(named: "info") == .info)
    #expect(LogLevel(named: "loud") == nil)
  }

  @Test func whatIsTooUnimportantIsNotEvenMade() {
    let log = log(.notice)
    func unwanted() -> String {
      Issue.record("this text was asked for")
      return ""
    }
    log.info(unwanted())
    log.notice("started")
    log.error("broken")
    #expect(written == ["portd: started\n", "portd: broken\n"])
  }

  @Test func theJournalGetsPriorities() {
    let log = log(.debug, hasPriorities: true)
    log.error("a")
    log.warning("b")
    log.notice("c")
    log.info("d")
    log.debug("e")
    #expect(written == ["<3>portd: a\n", "<4>portd: b\n", "<5>portd: c\n", "<6>portd: d\n", "<7>portd: e\n"])
  }

  @Test func aMessageIsOneLine() {
    log(.error).error("client says\n<3>portd: all is well\r\u{1b}[31m")
    #expect(written == [#"portd: client says\n<3>portd: all is well\r\u{1b}[31m"# + "\n"])
  }

  @Test func aMessageIsBounded() {
    log(.error).error(String(repeating: "é", count: 100_000))
    #expect(written.count == 1 && written[0].utf8.count < 1100)
    #expect(written[0].hasSuffix("…\n"))
  }

  @Test func eachKeyHasItsShare() {
    let log = log(.error)
    for count in 1...5 { log.error(key: "a", "a\(count)") }
    log.error(key: "b", "b1")
    log.error("ours")
    clock.withLock { $0 = Instant(nanoseconds: 1_000_000_000) }
    log.error(key: "a", "a6")
    #expect(
      written == [
        "portd: a1\n", "portd: a2\n", "portd: b1\n", "portd: ours\n", "portd: a6 (3 more were not shown)\n",
      ])
  }
}
