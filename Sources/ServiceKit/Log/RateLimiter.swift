package import LinuxSystem

/// How often each sender may be heard: `burst` times in an interval that begins with its first message.
/// Pure; the caller brings the time.
package struct RateLimiter: Sendable {
  package enum Verdict: Hashable, Sendable {
    /// `suppressed` messages of the same key were dropped since the last one that passed.
    case pass(suppressed: Int)
    case drop
  }

  private struct Window {
    var start: Instant
    var passed: Int
    var dropped: Int
  }

  private let burst: Int
  private let interval: Duration
  private let keysMax: Int
  private var windows: [String: Window] = [:]

  package init(burst: Int, interval: Duration, keysMax: Int = Limits.rateLimitedKeysMax) {
    precondition(burst > 0 && keysMax > 0 && interval > .zero, "a limiter that lets nothing pass")
    self.burst = burst
    self.interval = interval
    self.keysMax = keysMax
  }

  package mutating func judge(_ key: String, at now: Instant) -> Verdict {
    guard var window = windows[key], now < window.start.advanced(by: interval) else {
      let suppressed = windows[key]?.dropped ?? 0
      makeRoom(for: key)
      windows[key] = Window(start: now, passed: 1, dropped: 0)
      return .pass(suppressed: suppressed)
    }
    defer { windows[key] = window }
    if window.passed < burst {
      window.passed += 1
      return .pass(suppressed: 0)
    }
    window.dropped += 1
    return .drop
  }

  /// Takes the place of the window that began first; its count of dropped messages is lost with it.
  private mutating func makeRoom(for key: String) {
    guard windows[key] == nil, windows.count >= keysMax else { return }
    if let oldest = windows.min(by: { $0.value.start < $1.value.start })?.key { windows[oldest] = nil }
  }
}
