/// SplitMix64: the same seed gives the same numbers everywhere.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// A generator with a fresh seed, which is printed; `PORTKIT_SEED` in the environment repeats a run.
  package static func fresh(_ test: String, environment: String?) -> SeededNumbers {
    let seed = environment.flatMap { UInt64($0) } ?? UInt64.random(in: 1...UInt64.max)
    print("\(test): seed \(seed)")
    return SeededNumbers(seed: seed)
  }

  /// A fixed set, and one seed of this run, which is printed.
  package static let seeds: [UInt64] = {
    let fresh = UInt64.random(in: 1_000...UInt64.max)
    print("SeededNumbers: fresh seed \(fresh)")
    return [1, 2, 3, fresh]
  }()

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  package mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}
