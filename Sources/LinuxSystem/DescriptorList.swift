import CPortShims

/// Descriptors that arrived with a packet: each is taken by one owner, or closed with the list.
/// (A class, because collections cannot hold noncopyable owners.)
package final class DescriptorList: @unchecked Sendable {
  private var numbers: [CInt]

  package init(owning numbers: [CInt]) {
    self.numbers = numbers
    for number in numbers { cps_own(number) }
  }

  deinit {
    for number in numbers where number >= 0 { _ = cps_close_owned(number) }
  }

  package var count: Int { numbers.count }

  /// The number at this place, which stays the list's; nil when there is none or it was taken.
  package func number(_ index: Int) -> CInt? {
    numbers.indices.contains(index) && numbers[index] >= 0 ? numbers[index] : nil
  }

  /// Those that were not taken, from a place on. They stay the list's.
  package func numbers(from start: Int) -> [CInt] { numbers.dropFirst(start).filter { $0 >= 0 } }

  /// Takes over all of `other` as the next `count` places; the last ones stay empty when it has fewer.
  package func append(_ other: DescriptorList?, count: Int) {
    let arrived = (other?.numbers ?? []).prefix(count)
    numbers += arrived
    numbers += [CInt](repeating: -1, count: count - arrived.count)
    other?.numbers.removeFirst(arrived.count)
  }

  /// Places without a descriptor.
  package convenience init(empty count: Int) { self.init(owning: [CInt](repeating: -1, count: count)) }

  /// Adds one; its place is the last.
  package func append(_ descriptor: consuming Descriptor) { numbers.append(descriptor.relinquish()) }

  /// Nil when there is none at this place or it was taken before.
  package func take(_ index: Int) -> Descriptor? {
    guard numbers.indices.contains(index), numbers[index] >= 0 else { return nil }
    defer { numbers[index] = -1 }
    return Descriptor(owning: numbers[index])
  }
}
