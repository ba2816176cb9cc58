import CPortShims

/// Remembers in which process an object was made. In a child made by `fork` the object's descriptors are dead, and its
/// locks may be held for ever by threads that only the parent has: nothing of it may be used there.
package struct ProcessMark: Hashable, Sendable {
  private let generation: UInt32

  package init() { generation = cps_generation() }

  /// False in a child, and in a child of it.
  package var isCurrent: Bool { generation == cps_generation() }

  /// This process was made by `fork` and has not become another program.
  package static var isForkedChild: Bool { cps_generation() != 0 }
}
