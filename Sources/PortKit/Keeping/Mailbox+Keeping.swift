import LinuxSystem
import Synchronization

extension Mailbox {
  func requestKeeping(by end: HolderEnd, owner: UInt64) throws(PortError) {
    try end.checkProcess()
    if isReached(by: end.socket) { throw .circularMove }
    let pair = try translatingErrno { () throws(Errno) -> PacketSocketPair in try PacketSocket.pair() }
    let (own, keepers) = (ControlWire(pair.first), ControlWire(pair.second))
    try withState(of: owner) { (state) throws(PortError) in
      if let keeper = state.keeper, !keeper.wire.hasHungUp { throw .alreadyKept }
      state.keeper = KeeperLink(own)
      do throws(PortError) {
        try translatingErrno { () throws(Errno) in try keepers.socket.enableWitness() }
        try state.settleKeeper()
      } catch {
        state.keeper = nil
        throw error
      }
    }
    do {
      try end.keep(keepers)
    } catch {
      try? withState(of: owner) { (state) throws(PortError) in
        if state.keeper?.wire === own { state.keeper = nil }
      }
      throw error
    }
  }

  var isKept: Bool { (try? withState(of: nil) { state in state.keeper.map { !$0.wire.hasHungUp } ?? false }) ?? false }

  var keptPorts: Int { (try? withState(of: nil) { state in state.kept.count }) ?? 0 }
}

extension HolderEnd {
  /// Hands the keeper its end of the control wire.
  fileprivate func keep(_ control: ControlWire) throws(PortError) {
    try translatingErrno { () throws(Errno) in
      let frame = FrameHeader(kind: .keep).encoded()
      let descriptors = [control.socket.descriptor.number]
      try queue.withLock { (queue) throws(Errno) in
        guard try socket.sendControl(frame, descriptors: descriptors) else { throw .wouldBlock }
        queue.ledger.append(QueueLedger.Packet(charge: PacketCharges.smallest, messages: 0))
      }
    }
  }

  /// The port's owner died. Calls whose requests it had taken will not be answered.
  func noteOwnersDeath() {
    guard let unread = try? socket.unreadByPeer() else { return }
    let ended = withCallsBegun { () -> [AsyncCall] in
      let next = queue.withLock { queue in
        queue.ledger.settle(unreadBytes: unread)
        return queue.ledger.firstUnread
      }
      return calls.withLock { $0.noteOwnersDeath(before: next) }
    }
    calls.notifyAll()
    for call in ended { call.complete(.dropped) }
  }

  /// No asynchronous call is between its beginning and the packet that took its request along.
  private func withCallsBegun<Result>(_ body: () -> Result) -> Result {
    guard let wire = async.withLock({ $0 }) else { return body() }
    return wire.outbox.withLock { _ in body() }
  }
}
