import Synchronization

/// That a port is in a set, as the port knows it: this decides who may take its mail.
struct Membership: Sendable {
  /// The member's key in the set's poller. No two memberships ever have the same.
  let key: UInt64
  let set: SetCore

  /// Held while memberships change, before the lock of any set or port: so each change is one step for all others.
  static let changes = Mutex<Void>(())
  private static let nextKey = Atomic<UInt64>(Doorbell.key + 1)

  init(in set: SetCore) {
    key = Self.nextKey.add(1, ordering: .relaxed).oldValue
    self.set = set
  }

  /// The sets forget members that have gone by themselves.
  static func end(_ memberships: [Membership]) {
    if memberships.isEmpty { return }
    changes.withLock { _ in
      for membership in memberships { membership.set.forget(membership.key) }
    }
  }
}
