import TestSupport

extension PortModel {
  mutating func applyReceive(
    from handle: UInt32, _ arrivals: [HistoryResult.Arrival], by actor: Int, atMost count: Int
  ) -> String? {
    for arrival in arrivals {
      if let wrong = apply(arrival, at: handle, by: actor) { return "port \(handle): \(arrival): \(wrong)" }
    }
    if arrivals.count == count { look(at: handle) }
    if arrivals.count < count, let wrong = nothingIsLeft(in: handle) { return "port \(handle) \(wrong)" }
    for (right, state) in rights where state.port == handle {
      rights[right]?.mayBeInHand = state.unread > 0
      rights[right]?.unseenCopies = 0
      guard arrivals.count < count, let limit = ports[handle]?.limit else { continue }
      rights[right]?.copies = 0
      rights[right]?.isLumped = false
      if !state.calls.isEmpty { continue }
      rights[right]?.isKnown = true
      rights[right]?.limits = [limit]
    }
    return nil
  }

  /// The port said that it is empty.
  private mutating func nothingIsLeft(in handle: UInt32) -> String? {
    guard let port = ports[handle] else { return "does not exist" }
    let mail = port.queue.count { $0.message != 0 }
    if mail > 0 { return "seems empty, with \(mail) messages in it" }
    if port.lostOnces > 0 { return "did not hear of \(port.lostOnces) send-once rights" }
    if !port.ended.isEmpty { return "did not hear of \(port.ended)" }
    if isNoSendersDue(handle) {
      if !port.mayBeOver { return "did not hear that it has no senders" }
      ports[handle]?.armed = nil
    }
    ports[handle]?.queue = []
    ports[handle]?.early = []
    ports[handle]?.former = []
    return nil
  }

  private mutating func apply(_ arrival: HistoryResult.Arrival, at handle: UInt32, by actor: Int) -> String? {
    guard let port = ports[handle] else { return "no such port" }
    switch arrival {
    case .sendOnce:
      ports[handle]?.lostOnces -= 1
      return port.lostOnces > 0 ? nil : "no send-once right was destroyed"
    case .deadName(let request): return hear(.deadName, of: request, at: handle)
    case .portDeleted(let request): return hear(.portDeleted, of: request, at: handle)
    case .noSenders(let count):
      return hearNoSenders(at: handle, Int(count))
    case .message(let id, let dead): return take(id, dead: dead, from: handle, by: actor)
    }
  }

  private mutating func hear(_ ending: Ending, of request: UInt32, at handle: UInt32) -> String? {
    guard let expected = ports[handle]?.ended.removeValue(forKey: request) else { return "has not ended, or was told" }
    for (right, state) in rights where state.requests[request] != nil { rights[right]?.requests[request] = nil }
    return expected.contains(ending) ? nil : "expected \(expected)"
  }

  private mutating func take(_ id: UInt32, dead: UInt32, from handle: UInt32, by actor: Int) -> String? {
    guard let index = ports[handle]?.queue.firstIndex(where: { $0.message == id }), let port = ports[handle],
      let letter = letters.removeValue(forKey: id)
    else { return "not in the queue" }
    let item = port.queue[index]
    // Copies on the way were taken in, or wait behind this one.
    let before = port.queue[..<index].filter { $0.message != 0 }
    if let earlier = before.first(where: { $0.epoch != item.epoch || $0.actor == item.actor }) {
      return "overtook message \(earlier.message), sent by \(earlier.actor) in \(earlier.epoch); now \(item.epoch)"
    }
    ports[handle]?.queue.remove(at: index)
    rights[item.right]?.unread -= 1
    if rights[item.right]?.unread == 0 { rights[item.right]?.mayBeInHand = false }
    if letter.reply != 0 {
      onces[letter.reply]?.place = .actor(actor)
      onces[letter.reply]?.end?.generation = port.generation
    }
    for (place, attachment) in letter.rights.enumerated() {
      let isDead = dead & 1 << place != 0
      if let expected = arrive(attachment, at: actor), expected != isDead { return "right \(place) is dead: \(isDead)" }
    }
    return nil
  }

  /// True when what arrives is a dead name; nil when that cannot be said.
  private mutating func arrive(_ attachment: HistoryCommand.Attachment, at actor: Int) -> Bool? {
    let handle = attachment.handle
    switch attachment.kind {
    case .send:
      rights[handle]?.place = .actor(actor)
      return !isAlive(rights[handle]?.port ?? 0)
    case .sendOnce:
      onces[handle]?.place = .actor(actor)
      guard case .port(let port) = onces[handle]?.target else { return nil }
      return !isAlive(port)
    case .port:
      ports[handle]?.place = .actor(actor)
      return false
    }
  }
}
