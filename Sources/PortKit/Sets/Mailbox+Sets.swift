import LinuxSystem
import Synchronization

extension Mailbox {
  /// The port becomes a member of the set.
  func join(_ set: SetCore, owner: UInt64) throws(PortError) {
    try checkProcess()
    try Membership.changes.withLock { (_) throws(PortError) in
      let memberships = try withState(of: owner) { (state) throws(PortError) in state.memberships }
      if memberships.contains(where: { $0.set === set }) { throw .alreadyInSet }
      try enter(Membership(in: set), leaving: [], owner: owner)
    }
  }

  /// The port leaves these sets, or all, and becomes a member of another one, or of none, in one step.
  func move(from old: SetCore?, to new: SetCore?, owner: UInt64) throws(PortError) {
    try checkProcess()
    try Membership.changes.withLock { (_) throws(PortError) in
      let memberships = try withState(of: owner) { (state) throws(PortError) in state.memberships }
      let found = memberships.filter { old == nil || $0.set === old }
      if found.isEmpty && (old != nil || new == nil) { throw .notInSet }
      // Where it is already, it stays; from one set to another one where it is, is an error.
      let isThere = memberships.contains { $0.set === new }
      if isThere && old != nil && old !== new { throw .alreadyInSet }
      let leaving = found.filter { $0.set !== new }
      if let new, !isThere {
        try enter(Membership(in: new), leaving: leaving, owner: owner)
      } else {
        try replace(leaving, by: nil, owner: owner)
      }
      for membership in leaving { membership.set.forget(membership.key) }
    }
  }

  /// True when it was a member.
  func leave(_ set: SetCore) -> Bool {
    (try? withState(of: nil) { (state) throws(PortError) -> Bool in
      let count = state.memberships.count
      state.memberships.removeAll { $0.set === set }
      state.settleBell(.owner)
      return state.memberships.count < count
    }) ?? false
  }

  private func enter(_ membership: Membership, leaving: [Membership], owner: UInt64) throws(PortError) {
    let set = membership.set
    // First the way for wake-ups, then the right to take: no mail is overlooked between them.
    try set.admit(self, membership.key)
    do {
      try replace(leaving, by: membership, owner: owner)
    } catch {
      set.forget(membership.key)
      throw error
    }
  }

  private func replace(_ leaving: [Membership], by new: Membership?, owner: UInt64) throws(PortError) {
    let hasMail = try withState(of: owner) { (state) throws(PortError) -> Bool in
      if new != nil { try installBell(&state) }
      state.memberships.removeAll { old in leaving.contains { $0.key == old.key } }
      if let new { state.memberships.append(new) }
      state.settleBell(.owner)
      return state.hasStagedMail
    }
    if hasMail, let new { new.set.noteMail(new.key) }
  }
}
