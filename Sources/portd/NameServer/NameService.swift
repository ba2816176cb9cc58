import LinuxSystem
import LoopCore
import PortKit
import ServiceKit

/// The name server's shell: messages to the name table's events, its actions to replies with rights.
final class NameService {
  /// A right that was checked in or registered, with the word of its death.
  private final class Service {
    let right: SendRight
    let owner: Credentials
    var notice: DeadNameRequest?
    /// Look-ups that wait until the service has taken in earlier ones, and what tells when it has.
    var line: [RequestID] = []
    var news: RunLoop.DescriptorSource?
    /// Ends the wait of those in line.
    var patience: RunLoop.Timer?

    init(_ right: consuming SendRight, _ owner: Credentials) {
      self.right = right
      self.owner = owner
    }
  }

  private let log: Log
  private let loop: RunLoop
  private let notices: NoticePort
  private var table = NameTable()
  private var services: [ServiceID: Service] = [:]
  private var requests: [RequestID: OwedReply] = [:]
  private var nextNumber: UInt64 = 1
  private var alarm: RunLoop.Timer?

  init(log: Log, loop: RunLoop, notices: NoticePort) {
    self.log = log
    self.loop = loop
    self.notices = notices
  }

  // MARK: Requests

  func handle(_ id: BootstrapMessageID, _ message: inout Message, from session: Session) {
    // A request that is no call asks for nothing: its rights go with it.
    guard let reply = message.takeReply() else { return }
    let request = OwedReply(session.id, reply)
    do {
      try dispatch(id, &message, request, session)
    } catch let error as ServiceNameError {
      log.info(key: session.label, "\(session.label) named no service: \(error)")
      request.send(BootstrapReply.make(.invalidName))
    } catch PortError.descriptorShortage {
      log.warning(key: "descriptors", "a request of \(session.label) failed for lack of descriptors")
      request.send(BootstrapReply.make(.limitReached))
    } catch {
      log.info(key: session.label, "\(session.label) sent a malformed request: \(error)")
      request.send(BootstrapReply.make(.malformed))
    }
  }

  private func dispatch(
    _ id: BootstrapMessageID, _ message: inout Message, _ request: OwedReply, _ session: Session
  ) throws {
    var reader = MessageReader(message.body)
    let body = try NameRequest(reading: &reader)
    if id == .listServices {
      request.send(list(after: String(decoding: body.name, as: UTF8.self)))
      return
    }
    let name = try ServiceName(utf8: body.name).description
    switch id {
    case .checkIn, .register:
      let right = try message.takeSendRight(at: 0)
      try publish(name, right, request, session, isCheckIn: id == .checkIn)
    case .lookUp: lookUp(name, body.waitNanoseconds, request, session)
    case .listServices, .reply: throw MessageReaderError.invalidValue(UInt64(id.rawValue), offset: 0)
    }
  }

  private func publish(
    _ name: String, _ right: consuming SendRight, _ request: OwedReply, _ session: Session, isCheckIn: Bool
  ) throws(PortError) {
    let id = ServiceID(rawValue: newNumber())
    let service = Service(right, session.peer)
    service.notice = try notices.watch(service.right) { [unowned self] in perform(table.handle(.portDied(id))) }
    services[id] = service
    let number = file(request)
    perform(
      table.handle(isCheckIn ? .checkIn(name, id, session.id, number) : .register(name, id, session.id, number)))
    if table.service(named: name) != id { release(id) }
  }

  private func lookUp(_ name: String, _ wait: UInt64, _ request: OwedReply, _ session: Session) {
    let number = file(request)
    if wait == 0 {
      perform(table.handle(.lookUp(name, session.id, number)))
      return
    }
    let deadline: Instant =
      wait == NameRequest.forever ? .distantFuture : .now.advanced(by: .nanoseconds(Int64(clamping: wait)))
    perform(table.handle(.lookUpWaiting(name, session.id, number, deadline: deadline)))
    setAlarm()
  }

  private func list(after name: String) -> Message {
    let entries = table.names.lazy.filter { $0 > name }.prefix(BrokerLimits.namesPerListing).map { name in
      let owner = self.table.service(named: name).flatMap { self.services[$0]?.owner }
      return ServiceListing.Entry(name: name, processID: owner?.processID ?? 0, userID: owner?.userID ?? 0)
    }
    let listing = ServiceListing(Array(entries))
    return BootstrapReply.make(.ok) { listing.write(to: &$0) }
  }

  func sessionEnded(_ session: Session) {
    perform(table.handle(.sessionEnded(session.id)))
    for (number, request) in requests where request.session == session.id { requests[number] = nil }
    setAlarm()
  }

  // MARK: Actions

  private func perform(_ actions: [NameTable.Action]) {
    for action in actions {
      switch action {
      case .found(let request, let service): hand(service, to: request)
      case .reply(let request, let status): answer(request, BootstrapReply.make(Self.status(status)))
      case .release(let service): release(service)
      }
    }
  }

  private func hand(_ id: ServiceID, to request: RequestID) {
    guard let service = services[id] else { return answer(request, BootstrapReply.make(.unknownService)) }
    if service.line.isEmpty, handNow(service, to: request) { return }
    guard service.line.count < BrokerLimits.lookUpsInLine else {
      return answer(request, BootstrapReply.make(.limitReached))
    }
    service.line.append(request)
    listen(to: service)
  }

  /// False when as many copies are under way as a service may have; it takes them in when it next looks at its port.
  private func handNow(_ service: Service, to request: RequestID) -> Bool {
    do throws(PortError) {
      var reply = BootstrapReply.make(.ok)
      reply.attach(try service.right.copy(timeout: .zero))
      answer(request, reply)
    } catch {
      if error == .timedOut { return false }
      // Dead, and the word of it is on its way; or out of descriptors, which is not the client's fault.
      if error != .deadName { log.warning(key: "look-up", "a look-up failed: \(error)") }
      answer(request, BootstrapReply.make(error == .deadName ? .unknownService : .limitReached))
    }
    return true
  }

  private func listen(to service: Service) {
    if service.news != nil { return }
    let source = RunLoop.DescriptorSource(service.right.newsDescriptor) { [unowned self, unowned service] in
      serveLine(of: service)
    }
    loop.add(source, to: .common)
    service.news = source
    let timer = RunLoop.Timer(fireAfter: BrokerLimits.lookUpPatience) { [unowned self, unowned service] _ in
      endLine(of: service, .timedOut)
    }
    loop.add(timer, to: .common)
    service.patience = timer
  }

  private func endLine(of service: Service, _ status: BootstrapStatus) {
    service.news?.invalidate()
    service.news = nil
    service.patience?.invalidate()
    service.patience = nil
    let line = service.line
    service.line = []
    for request in line { answer(request, BootstrapReply.make(status)) }
  }

  private func serveLine(of service: Service) {
    service.right.readNews()
    while let request = service.line.first {
      // Whoever asked may be gone.
      if requests[request] != nil, !handNow(service, to: request) { return }
      service.line.removeFirst()
    }
    endLine(of: service, .ok)
  }

  private func answer(_ request: RequestID, _ message: consuming Message) {
    requests.removeValue(forKey: request)?.send(message)
  }

  private func release(_ id: ServiceID) {
    guard let service = services.removeValue(forKey: id) else { return }
    if let notice = service.notice { notices.forget(notice) }
    endLine(of: service, .unknownService)
  }

  private func file(_ request: OwedReply) -> RequestID {
    let id = RequestID(rawValue: newNumber())
    requests[id] = request
    return id
  }

  private func newNumber() -> UInt64 {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// One timer for all waiting look-ups, set to the earliest deadline; none while nobody waits.
  private func setAlarm() {
    alarm?.invalidate()
    alarm = nil
    guard let deadline = table.nextDeadline else { return }
    let timer = RunLoop.Timer(fireAfter: Instant.now.duration(to: deadline)) { [unowned self] _ in
      perform(table.handle(.timePassed(.now)))
      setAlarm()
    }
    loop.add(timer, to: .common)
    alarm = timer
  }

  private static func status(_ status: NameStatus) -> BootstrapStatus {
    switch status {
    case .ok: .ok
    case .unknownService: .unknownService
    case .serviceActive, .notPrivileged: .serviceActive
    case .limitReached: .limitReached
    case .timedOut: .timedOut
    }
  }
}
