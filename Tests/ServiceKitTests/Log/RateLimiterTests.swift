import LinuxSystem
import ServiceKit
import Testing

@Suite struct RateLimiterTests {
  private var limiter = RateLimiter(burst: 2, interval: .nanoseconds(100), keysMax: 3)

  private mutating func judge(_ key: String, _ time: Int64) -> RateLimiter.Verdict {
    limiter.judge(key, at: Instant(nanoseconds: time))
  }

  @Test mutating func aBurstPassesAndTheRestIsCounted() {
    #expect(judge("a", 0) == .pass(suppressed: 0))
    #expect(judge("a", 1) == .pass(suppressed: 0))
    #expect(judge("a", 2) == .drop)
    #expect(judge("a", 99) == .drop)
    #expect(judge("a", 100) == .pass(suppressed: 2), "the interval ends at its hundredth nanosecond")
    #expect(judge("a", 101) == .pass(suppressed: 0))
    #expect(judge("a", 102) == .drop)
  }

  @Test mutating func keysDoNotDisturbEachOther() {
    #expect(judge("a", 0) == .pass(suppressed: 0))
    #expect(judge("a", 0) == .pass(suppressed: 0))
    #expect(judge("a", 0) == .drop)
    #expect(judge("b", 0) == .pass(suppressed: 0))
  }

  @Test mutating func theTableIsBounded() {
    for (time, key) in ["a", "b", "c"].enumerated() {
      for _ in 1...3 { _ = judge(key, Int64(time)) }
    }
    #expect(judge("d", 10) == .pass(suppressed: 0), "takes the place of a, the oldest")
    #expect(judge("b", 11) == .drop)
    #expect(judge("c", 11) == .drop)
    #expect(judge("a", 12) == .pass(suppressed: 0), "a was forgotten and takes the place of b")
    #expect(judge("c", 13) == .drop)
  }

  @Test mutating func manyKeysNeverLockOutANewOne() {
    for number in 0..<10_000 { #expect(judge("key \(number)", Int64(number)) == .pass(suppressed: 0)) }
  }
}
