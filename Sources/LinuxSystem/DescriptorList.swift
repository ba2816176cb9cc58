import CPortShims

/// Descriptors that arrived with a packet: each is taken by one owner, or closed with the list.
/// (A class, because collections cannot hold noncopyable owners.)
package final class DescriptorList: @unchecked Sendable {
  private var numbers: [CInt]

  init(owning numbers: [CInt]) {
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

  /// Nil when there is none at this place or it was taken before.
  package func take(_ index: Int) -> Descriptor? {
    guard numbers.indices.contains(index), numbers[index] >= 0 else { return nil }
    defer { numbers[index] = -1 }
    return Descriptor(owning: numbers[index])
  }
}
