import LinuxSystem

/// Names, the ports behind them, and the look-ups that wait for a name. Pure: events in, actions out.
///
/// A name belongs to the session that brought it and lives exactly as long as its port: it is free again the moment the
/// port is dead, and it outlives its session when the port does. A waiting look-up ends exactly once: by the name's
/// appearance, by its deadline, or – without an answer – with its session. The table holds ids only; rights are the
/// shell's. Names are valid when they come here.
struct NameTable {
  enum Event: Hashable, Sendable {
    /// The owner of a receive right takes a name for it.
    case checkIn(String, ServiceID, SessionID, RequestID)
    /// The holder of a send right gives it a name.
    case register(String, ServiceID, SessionID, RequestID)
    case unregister(String, SessionID, RequestID)
    /// Answered at once, whether or not the name is known.
    case lookUp(String, SessionID, RequestID)
    /// An unknown name is waited for, until `deadline`.
    case lookUpWaiting(String, SessionID, RequestID, deadline: Instant)
    case portDied(ServiceID)
    case sessionEnded(SessionID)
    case timePassed(Instant)
  }

  enum Action: Hashable, Sendable {
    /// Answer the look-up with a right to the service.
    case found(RequestID, ServiceID)
    case reply(RequestID, NameStatus)
    /// The table has forgotten the service: the shell drops what it holds of it.
    case release(ServiceID)
  }

  private struct Entry {
    let service: ServiceID
    let owner: SessionID
  }

  private struct Waiter {
    let name: String
    let session: SessionID
    let deadline: Instant
  }

  private var entries: [String: Entry] = [:]
  private var namesByService: [ServiceID: String] = [:]
  private var namesBySession: [SessionID: Set<String>] = [:]
  private var waiters: [RequestID: Waiter] = [:]
  /// In the order of arrival.
  private var waitersByName: [String: [RequestID]] = [:]
  private var waiterCounts: [SessionID: Int] = [:]
  /// In the order of deadlines, those of one moment in the order of arrival.
  private var deadlines: [(deadline: Instant, request: RequestID)] = []

  /// When the shell must next say that time has passed; nil when no look-up waits for a moment.
  var nextDeadline: Instant? { deadlines.first.flatMap { $0.deadline == .distantFuture ? nil : $0.deadline } }

  var names: [String] { entries.keys.sorted() }
  var waiterCount: Int { waiters.count }
  var isEmpty: Bool { entries.isEmpty && waiters.isEmpty }

  /// The session that brought the name, while its port lives.
  func owner(of name: String) -> SessionID? { entries[name]?.owner }

  func service(named name: String) -> ServiceID? { entries[name]?.service }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .checkIn(let name, let service, let session, let request),
      .register(let name, let service, let session, let request):
      publish(name, service, session, request)
    case .unregister(let name, let session, let request): unregister(name, session, request)
    case .lookUp(let name, _, let request):
      [entries[name].map { .found(request, $0.service) } ?? .reply(request, .unknownService)]
    case .lookUpWaiting(let name, let session, let request, let deadline):
      lookUpWaiting(name, session, request, deadline)
    case .portDied(let service): portDied(service)
    case .sessionEnded(let session): sessionEnded(session)
    case .timePassed(let now): timePassed(now)
    }
  }

  // MARK: Names

  private mutating func publish(
    _ name: String, _ service: ServiceID, _ session: SessionID, _ request: RequestID
  ) -> [Action] {
    precondition(namesByService[service] == nil, "a service id names one registration")
    guard entries[name] == nil else { return [.reply(request, .serviceActive)] }
    guard namesBySession[session, default: []].count < BrokerLimits.namesPerSession,
      entries.count < BrokerLimits.names
    else { return [.reply(request, .limitReached)] }
    entries[name] = Entry(service: service, owner: session)
    namesByService[service] = name
    namesBySession[session, default: []].insert(name)
    let waiting = waitersByName[name] ?? []
    for waiter in waiting { removeWaiter(waiter) }
    return [.reply(request, .ok)] + waiting.map { .found($0, service) }
  }

  private mutating func unregister(_ name: String, _ session: SessionID, _ request: RequestID) -> [Action] {
    guard let entry = entries[name] else { return [.reply(request, .unknownService)] }
    guard entry.owner == session else { return [.reply(request, .notPrivileged)] }
    forget(name, entry)
    return [.reply(request, .ok), .release(entry.service)]
  }

  private mutating func portDied(_ service: ServiceID) -> [Action] {
    // Unknown after `unregister`, or after a refused registration: nothing is left to free.
    guard let name = namesByService[service], let entry = entries[name] else { return [] }
    forget(name, entry)
    return [.release(service)]
  }

  private mutating func forget(_ name: String, _ entry: Entry) {
    entries[name] = nil
    namesByService[entry.service] = nil
    namesBySession[entry.owner]?.remove(name)
    if namesBySession[entry.owner]?.isEmpty == true { namesBySession[entry.owner] = nil }
  }

  // MARK: Waiting look-ups

  private mutating func lookUpWaiting(
    _ name: String, _ session: SessionID, _ request: RequestID, _ deadline: Instant
  ) -> [Action] {
    precondition(waiters[request] == nil, "a request id names one request")
    if let entry = entries[name] { return [.found(request, entry.service)] }
    guard waiterCounts[session, default: 0] < BrokerLimits.waitersPerSession,
      waitersByName[name, default: []].count < BrokerLimits.waitersPerName, waiters.count < BrokerLimits.waiters
    else { return [.reply(request, .limitReached)] }
    waiters[request] = Waiter(name: name, session: session, deadline: deadline)
    waitersByName[name, default: []].append(request)
    waiterCounts[session, default: 0] += 1
    deadlines.insert((deadline, request), at: firstDeadline(after: deadline))
    return []
  }

  private mutating func sessionEnded(_ session: SessionID) -> [Action] {
    guard waiterCounts[session] != nil else { return [] }
    for (request, waiter) in waiters where waiter.session == session { removeWaiter(request) }
    return []
  }

  private mutating func timePassed(_ now: Instant) -> [Action] {
    let due = deadlines.prefix { $0.deadline <= now }.map(\.request)
    for request in due { removeWaiter(request) }
    return due.map { .reply($0, .timedOut) }
  }

  private mutating func removeWaiter(_ request: RequestID) {
    guard let waiter = waiters.removeValue(forKey: request) else {
      assertionFailure("waiter \(request.rawValue) is not in the table")
      return
    }
    waitersByName[waiter.name]?.removeAll { $0 == request }
    if waitersByName[waiter.name]?.isEmpty == true { waitersByName[waiter.name] = nil }
    waiterCounts[waiter.session, default: 0] -= 1
    if waiterCounts[waiter.session] == 0 { waiterCounts[waiter.session] = nil }
    deadlines.removeAll { $0.request == request }
  }

  /// Where a deadline goes: behind all that are not later.
  private func firstDeadline(after deadline: Instant) -> Int {
    var (low, high) = (0, deadlines.count)
    while low < high {
      let middle = (low + high) / 2
      if deadlines[middle].deadline <= deadline { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Invariants

  /// What is wrong with the table; empty when it is well.
  func checkInvariants() -> [String] {
    var faults: [String] = []
    func hold(_ condition: Bool, _ fault: String) { if !condition { faults.append(fault) } }
    hold(entries.count == namesByService.count, "entries and services differ")
    hold(entries.count == namesBySession.values.reduce(0) { $0 + $1.count }, "entries and sessions' names differ")
    hold(entries.count <= BrokerLimits.names, "too many names")
    for (name, entry) in entries {
      hold(namesByService[entry.service] == name, "service of \(name)")
      hold(namesBySession[entry.owner]?.contains(name) == true, "owner of \(name)")
      hold(waitersByName[name] == nil, "\(name) is known and waited for")
    }
    hold(waiters.count == deadlines.count, "waiters and deadlines differ")
    hold(waiters.count == waiterCounts.values.reduce(0, +), "waiters and sessions' counts differ")
    hold(waiters.count == waitersByName.values.reduce(0) { $0 + $1.count }, "waiters and names' lists differ")
    hold(waiterCounts.values.allSatisfy { 1...BrokerLimits.waitersPerSession ~= $0 }, "waiters of a session")
    hold(waitersByName.values.allSatisfy { 1...BrokerLimits.waitersPerName ~= $0.count }, "waiters for a name")
    hold(zip(deadlines, deadlines.dropFirst()).allSatisfy { $0.deadline <= $1.deadline }, "deadlines out of order")
    return faults
  }
}
