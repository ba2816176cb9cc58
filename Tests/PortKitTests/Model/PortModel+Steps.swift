import TestSupport

@testable import PortKit

extension PortModel {
  // MARK: Steps

  /// Applies a command of an actor that came to `result`. Nil when that is what ports promise, else what is wrong.
  mutating func apply(_ command: HistoryCommand, by actor: Int, result: HistoryResult) -> String? {
    let subject = command.subject
    switch command.operation {
    case .receive:
      guard case .arrivals(let arrivals) = result else { return "receive came to \(result)" }
      return applyReceive(from: subject, arrivals, by: actor, atMost: Int(command.value))
    case .collect:
      let expected = calls.removeValue(forKey: subject)
      rights[expected?.right ?? 0]?.calls.remove(subject)
      return expected?.ending?.contains(result) == true
        ? nil : "call \(subject): \(result), not \(expected?.ending ?? [])"
    case .askDead:
      let expected = HistoryResult.isDead(!isAlive(rights[subject]?.port ?? 0))
      return result == expected ? nil : "right \(subject): \(result)"
    case .send: return applySend(command, by: actor, result)
    case .answer: return applyAnswer(command, by: actor, result)
    case .copy:
      let expected = outcomes(ofCopyOf: subject)
      if !expected.contains(result) { return "copy of \(subject): \(result), not \(expected)" }
      if result == .done { applyCopy(command, by: actor) }
      return nil
    default:
      if result != .done { return "\(command.operation): \(result)" }
      applyPlain(command, by: actor)
      return nil
    }
  }

  /// Commands that always succeed.
  private mutating func applyPlain(_ command: HistoryCommand, by actor: Int) {
    let (subject, object) = (command.subject, command.object)
    look(at: command.operation == .armDeadName ? object : subject)
    switch command.operation {
    case .makePort: ports[subject] = Port(place: .actor(actor))
    case .makeRight:
      noteDoubt(at: subject, object, by: actor)
      let limit = ports[subject]?.limit ?? 0
      rights[object] = Right(port: subject, maker: actor, place: .actor(actor), limits: [limit])
      ports[subject]?.made += 1
    case .makeOnce: onces[object] = Once(target: .port(subject), place: .actor(actor), isWire: true)
    case .dropRight: remove(right: subject)
    case .dropOnce: remove(once: subject)
    case .destroyPort: kill(port: subject)
    case .armNoSenders:
      armNoSenders(of: subject, sync: Int(command.value))
    case .armDeadName:
      rights[subject]?.requests[command.value] = object
      if let right = rights[subject], !isAlive(right.port) { ports[object]?.ended[command.value] = [.deadName] }
    case .setLimit: setLimit(of: subject, Int(command.value))
    case .call:
      calls[object] = Call(right: subject, actor: actor)
      rights[subject]?.calls.insert(object)
      onces[object] = Once(
        target: .call(object), place: .message(command.value), isWire: false, end: End(right: subject))
      post(command, on: subject, by: actor)
    case .importRight: rights[subject]?.place = .actor(actor)
    default: break
    }
  }

  private mutating func setLimit(of port: UInt32, _ limit: Int) {
    ports[port]?.limit = limit
    for (handle, right) in rights where right.port == port {
      // The library's own thread, which waits for replies, may be just reading it.
      if !right.calls.isEmpty { rights[handle]?.isKnown = false }
      rights[handle]?.limits = right.isKnown && right.calls.isEmpty ? [limit] : right.limits.union([limit])
    }
  }

  private mutating func applyCopy(_ command: HistoryCommand, by actor: Int) {
    guard let right = rights[command.subject] else { return }
    rights[command.subject]?.packets += 1
    rights[command.subject]?.copies += 1
    rights[command.subject]?.unseenCopies += 1
    var limits = right.limits
    if let limit = ports[right.port]?.limit { limits.insert(limit) }
    rights[command.object] = Right(
      port: right.port, maker: actor, place: .actor(actor), limits: limits, isKnown: false)
    ports[right.port]?.queue.append(Item(message: 0, right: command.subject, actor: actor, epoch: epoch))
  }

  private mutating func applySend(_ command: HistoryCommand, by actor: Int, _ result: HistoryResult) -> String? {
    let expected = outcomes(ofSendOn: command.subject)
    if !expected.contains(result) { return "send on \(command.subject): \(result), not \(expected)" }
    if result == .done {
      post(command, on: command.subject, by: actor)
    } else {
      keepFit(command)
    }
    return nil
  }

  /// Rights that were made fit to travel, and came back; so did ports, whose replies left the wires of their calls.
  private mutating func keepFit(_ command: HistoryCommand) {
    for handle in command.rights.map(\.handle) + [command.object] {
      onces[handle]?.isWire = true
      onces[handle]?.end = nil
      look(at: handle)
    }
    for attachment in command.rights where attachment.kind == .port { promoteReplies(of: attachment.handle) }
  }

  private mutating func post(_ command: HistoryCommand, on handle: UInt32, by actor: Int) {
    guard let port = rights[handle]?.port else { return }
    rights[handle]?.unread += 1
    rights[handle]?.packets += 1
    enqueue(command, Item(message: command.value, right: handle, actor: actor, epoch: epoch), at: port)
    letters[command.value] = Letter(rights: command.rights, reply: command.object)
    guard command.object != 0 else { return }
    onces[command.object]?.place = .message(command.value)
    if command.operation != .send { return }
    onces[command.object]?.isWire = true
    onces[command.object]?.end = nil
  }

  private mutating func enqueue(_ command: HistoryCommand, _ item: Item, at port: UInt32) {
    ports[port]?.queue.append(item)
    letters[command.value] = Letter(rights: command.rights, reply: 0)
    for right in command.rights { depart(right, in: command.value) }
  }

  private mutating func applyAnswer(_ command: HistoryCommand, by actor: Int, _ result: HistoryResult) -> String? {
    guard let once = onces[command.subject] else { return "no send-once right \(command.subject)" }
    var expected: Set<HistoryResult> = [.done]
    switch once.target {
    case .port(let port): if !isAlive(port) { expected = [.deadName] }
    // A caller that was killed may not be known to be dead.
    case .call(let call): if calls[call]?.isCallerAlive != true { expected = [.done, .deadName] }
    }
    if !expected.contains(result) { return "answer by \(command.subject): \(result), not \(expected)" }
    onces[command.subject] = nil
    guard result == .done else {
      keepFit(command)
      return nil
    }
    switch once.target {
    case .port(let port):
      enqueue(command, Item(message: command.value, right: 0, actor: actor, epoch: epoch), at: port)
    case .call(let call): calls[call]?.ending = [.reply(command.value)]
    }
    return nil
  }

  // MARK: Rights that leave and end

  private mutating func depart(_ attachment: HistoryCommand.Attachment, in message: UInt32) {
    let handle = attachment.handle
    switch attachment.kind {
    case .send:
      endRequests(of: handle)
      rights[handle]?.place = .message(message)
      if let right = rights[handle], right.packets > TravelState.packetsKept { rights[handle]?.isLumped = true }
    case .sendOnce:
      onces[handle]?.place = .message(message)
      onces[handle]?.isWire = true
      onces[handle]?.end = nil
    case .port:
      promoteReplies(of: handle)
      ports[handle]?.place = .message(message)
      moveNoSenders(of: handle)
      ports[handle]?.generation += 1
      forgetRequests(to: handle)
    }
  }

  /// Requests to a port that leaves this process, or ends.
  private mutating func forgetRequests(to port: UInt32) {
    ports[port]?.ended = [:]
    for (handle, right) in rights where !right.requests.isEmpty {
      rights[handle]?.requests = right.requests.filter { $0.value != port }
    }
  }

  /// The right leaves its holder. If its port died just before, either may be noticed first.
  private mutating func endRequests(of handle: UInt32) {
    for (request, port) in rights[handle]?.requests ?? [:] {
      look(at: port)
      if ports[port]?.ended[request] != nil {
        ports[port]?.ended[request]?.insert(.portDeleted)
      } else {
        ports[port]?.ended[request] = [.portDeleted]
      }
    }
    rights[handle]?.requests = [:]
  }

  /// Replies that are owed to callers on wires of this port.
  private mutating func promoteReplies(of port: UInt32) {
    for (handle, once) in onces {
      guard case .call(let call) = once.target, case .actor = once.place else { continue }
      if let right = calls[call]?.right, rights[right]?.port == port { onces[handle]?.isWire = true }
    }
  }

  mutating func remove(right handle: UInt32) {
    endRequests(of: handle)
    rights[handle]?.place = .gone
  }

  mutating func remove(once handle: UInt32) {
    guard let once = onces.removeValue(forKey: handle) else { return }
    switch once.target {
    case .port(let port): if isAlive(port) { ports[port]?.lostOnces += 1 }
    case .call(let call): if calls[call]?.ending == nil { calls[call]?.ending = [.replyDropped] }
    }
  }

  private mutating func destroy(message: UInt32, of port: UInt32) {
    guard let letter = letters.removeValue(forKey: message) else { return }
    for right in letter.rights {
      switch right.kind {
      case .send: remove(right: right.handle)
      case .sendOnce: remove(once: right.handle)
      case .port: kill(port: right.handle)
      }
    }
    guard letter.reply != 0 else { return }
    if case .call(let call) = onces[letter.reply]?.target {
      onces[letter.reply] = nil
      calls[call]?.ending = [.deadName, .replyDropped]
    } else {
      remove(once: letter.reply)
    }
  }

  mutating func kill(port handle: UInt32) {
    guard let port = ports[handle], port.isAlive else { return }
    promoteReplies(of: handle)
    ports[handle]?.place = .gone
    ports[handle]?.queue = []
    forgetRequests(to: handle)
    for item in port.queue where item.message != 0 { destroy(message: item.message, of: handle) }
    for (right, state) in rights where state.port == handle {
      for (request, target) in state.requests { ports[target]?.ended[request] = [.deadName] }
      rights[right]?.unread = 0
    }
  }

  /// SIGKILL: ports first, then everything else.
  mutating func kill(actor: Int) {
    // A reply that is still to come back on the caller's own wire dies with the process that owes it.
    for (handle, once) in onces where once.place == .actor(actor) && !once.isWire {
      if case .call(let call) = once.target { calls[call]?.ending = [.deadName] }
      onces[handle] = nil
    }
    for (call, state) in calls where state.actor == actor { calls[call]?.isCallerAlive = false }
    for handle in Array(ports.keys) where ports[handle]?.place == .actor(actor) { kill(port: handle) }
    for handle in Array(rights.keys) where rights[handle]?.place == .actor(actor) { remove(right: handle) }
    for handle in Array(onces.keys) where onces[handle]?.place == .actor(actor) { remove(once: handle) }
    calls = calls.filter { $0.value.actor != actor }
  }
}
