package import LinuxSystem

/// How bad a message is, by the numbers of syslog(3).
package enum LogLevel: Int, Comparable, CaseIterable, Sendable {
  case error = 3
  case warning, notice, info, debug

  package static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }

  package var name: String { "\(self)" }

  package init?(named name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }
}

/// A daemon's log: one line per message on standard error, `portd: …`, with `<3>` … `<7>` in front when the journal
/// reads it. Any thread may write. Text of others goes in through ``VisibleText/quoted(_:)``.
package final class Log: Sendable {
  package let level: LogLevel
  private let program: String
  private let hasPriorities: Bool
  private let limiter: Monitor<RateLimiter>
  private let now: @Sendable () -> Instant
  private let sink: @Sendable (String) -> Void

  /// Ten lines in ten seconds for each key: enough to see what is wrong, too little to fill a disk.
  package init(
    program: String, level: LogLevel, hasPriorities: Bool = Log.journalReadsStandardError(),
    limiter: RateLimiter = RateLimiter(burst: 10, interval: .seconds(10)),
    now: @escaping @Sendable () -> Instant = { Instant.now },
    sink: @escaping @Sendable (String) -> Void = { StandardStream.error.writeIfRoom($0) }
  ) {
    self.program = program
    self.level = level
    self.hasPriorities = hasPriorities
    self.limiter = Monitor(limiter)
    self.now = now
    self.sink = sink
  }

  /// `key` names who is to blame; each key has its own share of the log. Nil for what no client can cause.
  package func write(_ level: LogLevel, key: String? = nil, _ message: @autoclosure () -> String) {
    if level > self.level { return }
    var remark = ""
    if let key {
      switch limiter.withLock({ $0.judge(key, at: now()) }) {
      case .drop: return
      case .pass(suppressed: 0): break
      case .pass(let suppressed): remark = " (\(suppressed) more were not shown)"
      }
    }
    sink(line(level, message(), remark))
  }

  private func line(_ level: LogLevel, _ message: String, _ remark: String) -> String {
    let priority = hasPriorities ? "<\(level.rawValue)>" : ""
    var text = VisibleText.escaped(message)
    if text.utf8.count > Limits.logLineBytesMax {
      text = String(decoding: text.utf8.prefix(Limits.logLineBytesMax), as: UTF8.self) + "…"
    }
    return "\(priority)\(program): \(text)\(remark)\n"
  }

  /// Whether JOURNAL_STREAM names this very stream. The variable alone says little: everything that is started from a
  /// desktop session inherits it.
  package static func journalReadsStandardError() -> Bool {
    guard let stream = ProcessFacts.environment("JOURNAL_STREAM") else { return false }
    return stream == StandardStream.error.identity
  }
}

extension Log {
  package func error(key: String? = nil, _ message: @autoclosure () -> String) { write(.error, key: key, message()) }
  package func warning(key: String? = nil, _ message: @autoclosure () -> String) {
    write(.warning, key: key, message())
  }
  package func notice(key: String? = nil, _ message: @autoclosure () -> String) { write(.notice, key: key, message()) }
  package func info(key: String? = nil, _ message: @autoclosure () -> String) { write(.info, key: key, message()) }
  package func debug(key: String? = nil, _ message: @autoclosure () -> String) { write(.debug, key: key, message()) }
}
