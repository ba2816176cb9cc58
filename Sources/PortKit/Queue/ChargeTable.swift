/// What the kernel charges a sender for one packet: a fixed, growing step function of its size, which differs from
/// kernel to kernel. Learns it by measuring: where two sizes cost the same, all between them do. Pure: the measuring
/// comes in.
struct ChargeTable: Sendable {
  private struct Sample {
    let size: Int
    let charge: Int
  }

  private var samples: [Sample] = []

  /// - Parameter measure: the charge of one packet of that size; nil when it cannot be measured now.
  mutating func charge(of size: Int, measure: (Int) -> Int?) -> Int? {
    let index = samples.partitionPoint { $0.size >= size }
    if index < samples.count, samples[index].size == size { return samples[index].charge }
    if index > 0, index < samples.count, samples[index - 1].charge == samples[index].charge {
      return samples[index].charge
    }
    guard let charge = measure(size) else { return nil }
    samples.insert(Sample(size: size, charge: charge), at: index)
    forgetInner(around: index, charge)
    return charge
  }

  var count: Int { samples.count }

  /// Of a run of equal charges only the ends say something.
  private mutating func forgetInner(around index: Int, _ charge: Int) {
    var run = index..<(index + 1)
    while run.lowerBound > 0, samples[run.lowerBound - 1].charge == charge {
      run = (run.lowerBound - 1)..<run.upperBound
    }
    while run.upperBound < samples.count, samples[run.upperBound].charge == charge {
      run = run.lowerBound..<(run.upperBound + 1)
    }
    if run.count > 2 { samples.removeSubrange((run.lowerBound + 1)..<(run.upperBound - 1)) }
  }
}

extension RandomAccessCollection where Index == Int {
  /// The first index whose element is past the point; the collection must be sorted by it.
  func partitionPoint(isPast: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if isPast(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
