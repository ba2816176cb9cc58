import HIDKit
import LinuxSystem

/// Router, queues and ledger as one machine: what the broker's event system decides. Pure: calls in, actions out.
///
/// The shell around it moves messages: it gives each client and sender an id that is never used again, sends batches,
/// answers injections, and reports acknowledgements and deaths.
struct EventDispatcher {
  enum Action: Hashable, Sendable {
    case send(ClientID, ClientQueue.Batch)
    case answer(InjectionLedger.Answer)
  }

  private(set) var router: EventRouter
  private(set) var ledger = InjectionLedger()
  private var queues: [ClientID: ClientQueue] = [:]
  /// Clients for which nothing new may begin: kept here so that an event need not ask every queue.
  private var refusing: Set<ClientID> = []

  init(display: HIDSize) { router = EventRouter(display: display) }

  func queue(of client: ClientID) -> ClientQueue? { queues[client] }

  /// Nothing is left of any client or sender.
  var isEmpty: Bool { queues.isEmpty && refusing.isEmpty && router.isEmpty && ledger.pendingCount == 0 }

  // MARK: Clients and senders

  mutating func addClient(_ client: ClientID) {
    precondition(queues[client] == nil, "a client id names one client")
    queues[client] = ClientQueue()
  }

  /// The client's event port is dead. Injections that it had not finished end as cancelled.
  mutating func removeClient(_ client: ClientID) -> [Action] {
    guard var queue = queues.removeValue(forKey: client) else { return [] }
    refusing.remove(client)
    router.removeClient(client)
    return queue.close().compactMap { ledger.settle($0, .clientGone) }.map { .answer($0) }
  }

  /// The injector or device is gone: what it has down ends at those who were told of it.
  mutating func removeSender(_ sender: UInt64, at now: Instant) -> [Action] {
    ledger.injectorGone(sender)
    return enqueue(router.removeSender(sender, at: now), injection: nil, readAt: now)
  }

  // MARK: Windows

  /// - Throws: `notOpen` for an unknown client, `limitReached`.
  mutating func createWindow(
    _ request: CreateWindow, by client: ClientID, at now: Instant
  ) throws(EventSystemStatus) -> WindowID {
    guard queues[client] != nil else { throw .notOpen }
    // Nobody gets in front of others by claiming the future.
    let claimed = Instant(nanoseconds: request.createdNanoseconds)
    let created = request.createdNanoseconds > 0 ? min(claimed, now) : now
    return try router.createWindow(
      client: client, frame: request.frame, zOrder: request.zOrder, title: request.title, created: created)
  }

  /// - Throws: `noSuchWindow`.
  mutating func moveWindow(_ request: MoveWindow, by client: ClientID) throws(EventSystemStatus) {
    try router.moveWindow(request.windowID, of: client, frame: request.frame, zOrder: request.zOrder)
  }

  /// - Throws: `noSuchWindow`.
  mutating func destroyWindow(
    _ request: DestroyWindow, by client: ClientID, at now: Instant
  ) throws(EventSystemStatus) -> [Action] {
    enqueue(try router.destroyWindow(request.windowID, of: client, at: now), injection: nil, readAt: now)
  }

  // MARK: Events

  /// Routes an injected event. Its answer comes among the actions, now or of a later call, unless its sender is removed
  /// before.
  /// - Throws: `offScreen`, `limitReached`; nothing has happened then.
  mutating func inject(
    _ event: HIDEvent, from sender: UInt64, at now: Instant
  ) throws(EventSystemStatus) -> (injection: InjectionID, actions: [Action]) {
    guard router.offScreenPoint(in: event) == nil else { throw .offScreen }
    guard ledger.hasRoom(for: sender) else { throw .limitReached }
    var marked = event
    marked.isInjected = true
    let orphanedBefore = router.counts.orphaned
    let deliveries = router.route(marked, from: sender, at: now, refusing: refusing)
    let (id, answer) = ledger.begin(
      by: sender, deliveries: deliveries.count, orphaned: router.counts.orphaned - orphanedBefore)
    if let answer { return (id, [.answer(answer)]) }
    return (id, enqueue(deliveries, injection: id, readAt: now))
  }

  /// The client has finished all batches up to `sequence`.
  /// - Throws: when it was never sent that many. The shell ends such a client.
  mutating func finished(
    _ sequence: UInt64, by client: ClientID
  ) throws(ClientQueue.UnknownSequence) -> [Action] {
    guard let progress = try queues[client]?.finished(sequence) else { return [] }
    updateRefusal(of: client)
    return progress.finished.compactMap { ledger.settle($0, .finished) }.map { .answer($0) }
      + progress.send.map { .send(client, $0) }
  }

  private mutating func enqueue(_ deliveries: [Delivery], injection: InjectionID?, readAt: Instant) -> [Action] {
    var actions: [Action] = []
    for delivery in deliveries {
      switch queues[delivery.client]?.enqueue(delivery, injection: injection, readAt: readAt) {
      case .send(let batch): actions.append(.send(delivery.client, batch))
      case .waits: updateRefusal(of: delivery.client)
      case .dropped:
        if let injection, let answer = ledger.settle(injection, .dropped) { actions.append(.answer(answer)) }
      case nil: preconditionFailure("client \(delivery.client) has windows and no queue")
      }
    }
    return actions
  }

  private mutating func updateRefusal(of client: ClientID) {
    if queues[client]?.admitsBeginnings == false { refusing.insert(client) } else { refusing.remove(client) }
  }

  /// What is wrong; empty when all is well.
  func checkInvariants() -> [String] {
    var faults = router.checkInvariants() + ledger.checkInvariants()
    for (client, queue) in queues {
      faults += queue.checkInvariants()
      if refusing.contains(client) == queue.admitsBeginnings { faults.append("refusal of client \(client)") }
    }
    for window in router.windows.windows where queues[window.client] == nil {
      faults.append("window \(window.id) of nobody")
    }
    return faults
  }
}
