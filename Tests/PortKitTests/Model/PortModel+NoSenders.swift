extension PortModel {
  /// A right was made with a request armed, while other actors worked. Whether the port had no senders just before is
  /// known when it is known what the others did.
  struct Doubt {
    let port: UInt32
    let count: Int
    let maker: Int
    /// The new right: what its maker has made since has greater numbers.
    let right: UInt32
  }

  mutating func armNoSenders(of handle: UInt32, sync: Int) {
    guard let port = ports[handle] else { return }
    if !port.early.isEmpty { ports[handle]?.former.append(port.early) }
    ports[handle]?.early = []
    ports[handle]?.mayBeOver = false
    ports[handle]?.armed = sync
    look(at: handle)
  }

  /// What was told and not received is asked for again at the new owner's.
  mutating func moveNoSenders(of handle: UInt32) {
    guard let port = ports[handle] else { return }
    if let armed = port.armed {
      ports[handle]?.armed = max(0, armed - port.made)
    } else if !port.former.isEmpty {
      ports[handle]?.armed = 0
      ports[handle]?.mayBeOver = true
    }
    ports[handle]?.made = 0
    ports[handle]?.early = []
    ports[handle]?.former = []
  }

  /// Notices come in the order of their requests.
  mutating func hearNoSenders(at handle: UInt32, _ count: Int) -> String? {
    guard let port = ports[handle] else { return "no such port" }
    let former = port.former.firstIndex { $0.contains(count) }
    let isDue = port.early.contains(count) || isNoSendersDue(handle) && count == port.made
    if let former {
      ports[handle]?.former.removeSubrange(...former)
      if isDue { ports[handle]?.mayBeOver = true }
      return nil
    }
    if !isDue { return "not due: \(senders(of: handle)) rights, armed \(port.armed ?? -1), made \(port.made)" }
    ports[handle]?.armed = nil
    ports[handle]?.early = []
    ports[handle]?.former = []
    return nil
  }

  // MARK: While others work

  mutating func noteDoubt(at handle: UInt32, _ right: UInt32, by maker: Int) {
    guard isBusy, let port = ports[handle], let sync = port.armed, sync <= port.made else { return }
    // Its own steps come one after the other.
    if rights.values.contains(where: { $0.port == handle && $0.place == .actor(maker) }) { return }
    doubts.append(Doubt(port: handle, count: port.made, maker: maker, right: right))
  }

  /// Nobody received, so an actor that had none of the rights at some moment has none now, nor has the mail.
  mutating func settleDoubts() {
    for doubt in doubts {
      let others = rights.filter {
        $0.value.port == doubt.port && ($0.key < doubt.right || $0.value.maker != doubt.maker)
      }
      if others.values.contains(where: { $0.place != .gone || $0.unread > 0 }) { continue }
      ports[doubt.port]?.early.insert(doubt.count)
    }
    doubts = []
  }
}
