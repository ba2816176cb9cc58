import CPortShims

/// The highest descriptor numbers of this process, kept for what must not fail: rights in messages, new ports, replies.
/// The kernel gives out the lowest free number, so a process that is short of descriptors gets these, and the number of
/// a new descriptor tells without counting.
package enum DescriptorReserve {
  /// One packet's most descriptors and some for the process itself; a quarter where few are allowed at all.
  private static let most = 253 + 64

  /// The first number of the reserve.
  private static var floor: CInt {
    let limit = cps_descriptor_limit()
    return limit < 0 ? .max : limit - min(CInt(most), limit / 4)
  }

  package static func contains(_ number: CInt) -> Bool { number >= floor }

  /// A number outside the reserve is free: found out with a duplicate of any open descriptor.
  package static func hasRoom(_ open: borrowing Descriptor) -> Bool {
    guard let probe = try? open.duplicate() else { return false }
    return !contains(probe.number)
  }

  /// The same open file under a number outside the reserve, if there is one free.
  package static func movedOut(_ descriptor: consuming Descriptor) -> Descriptor {
    guard contains(descriptor.number), let moved = try? descriptor.duplicate(), !contains(moved.number) else {
      return descriptor
    }
    return moved
  }
}
