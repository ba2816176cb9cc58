import LinuxSystem

/// Measured values and their percentiles, by nearest rank.
struct Samples {
  private var values: [Double] = []

  init() { values.reserveCapacity(1 << 20) }

  var count: Int { values.count }

  mutating func add(_ value: Double) { values.append(value) }

  /// One line of JSON; its value is the median unless another one is given.
  func line(_ metric: String, unit: String, value: Double? = nil) -> String {
    verify(!values.isEmpty, "no samples")
    let sorted = values.sorted()
    func percentile(_ part: Double) -> Double { sorted[Int((Double(sorted.count - 1) * part).rounded())] }
    let median = percentile(0.5)
    let fields = [("value", value ?? median), ("p50", median), ("p90", percentile(0.9)), ("p99", percentile(0.99))]
    let numbers = (fields + [("min", sorted[0])]).map { "\"\($0.0)\":\(Self.short($0.1))" }.joined(separator: ",")
    return "{\"metric\":\"\(metric)\",\"unit\":\"\(unit)\",\(numbers),\"n\":\(sorted.count)}\n"
  }

  func report(_ metric: String, unit: String, value: Double? = nil) {
    try? StandardStream.output.write(line(metric, unit: unit, value: value))
  }

  private static func short(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
