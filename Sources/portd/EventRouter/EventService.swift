import HIDKit
import LinuxSystem
import PortKit
import ServiceKit

/// The event system's shell: requests of clients to the dispatcher, its actions to messages.
final class EventService {
  /// A session that opened the event system.
  private final class Client {
    let id: ClientID
    let name: String
    let processID: Int32
    let eventPort: SendRight
    var notice: DeadNameRequest?

    init(_ id: ClientID, _ name: String, _ processID: Int32, _ eventPort: consuming SendRight) {
      self.id = id
      self.name = name
      self.processID = processID
      self.eventPort = eventPort
    }
  }

  let display: HIDSize
  private let log: Log
  private let notices: NoticePort
  private var dispatcher: EventDispatcher
  private var clients: [ClientID: Client] = [:]
  private var clientsBySession: [SessionID: ClientID] = [:]
  private var answers: [InjectionID: OwedReply] = [:]
  private var nextClient: UInt32 = 1
  /// Clients that a delivery could not be handed to, removed when the actions at hand are done.
  private var doomed: [ClientID] = []

  init(display: HIDSize, log: Log, notices: NoticePort) {
    self.display = display
    self.log = log
    self.notices = notices
    dispatcher = EventDispatcher(display: display)
  }

  /// For the log at the end.
  var summary: String {
    let totals = dispatcher.ledger.totals
    return "\(totals.injected) injected = \(totals.delivered) delivered + \(totals.cancelled) cancelled + "
      + "\(totals.missed) missed, \(dispatcher.ledger.pendingCount) pending"
  }

  // MARK: Requests

  /// Returns why the client must be ended, if it must.
  func handle(_ id: EventSystemMessageID, _ message: inout Message, from session: Session) -> String? {
    if id == .finished { return finished(message, session) }
    guard let reply = message.takeReply() else { return "message \(id) is no call" }
    switch id {
    case .openEventSystem: open(&message, reply, session)
    case .createWindow: answer(message, reply, session, createWindow)
    case .destroyWindow: answer(message, reply, session, destroyWindow)
    case .moveWindow: answer(message, reply, session, moveWindow)
    case .listWindows: answer(message, reply, session, listWindows)
    case .inject: inject(message, reply, session)
    case .finished, .hidEvents: return "message \(id) is not for the broker"
    }
    return nil
  }

  private func answer<Request: EventSystemRequest>(
    _ message: borrowing Message, _ reply: consuming SendOnceRight, _ session: Session,
    _ body: (Request, Session) throws(EventSystemStatus) -> Request.Answer
  ) {
    let result: EventSystemReply<Request.Answer>
    do {
      let request = try Request(body: message.body)
      do throws(EventSystemStatus) { result = .success(try body(request, session)) } catch { result = .failure(error) }
    } catch {
      result = .failure(.malformed)
    }
    _ = reply.send(Self.message(Request.self, result), timeout: .zero)
  }

  private static func message<Request: EventSystemRequest>(
    _ type: Request.Type, _ reply: EventSystemReply<Request.Answer>
  ) -> Message {
    Message(id: Request.messageID.replyID, body: reply.makeBody())
  }

  private func open(_ message: inout Message, _ reply: consuming SendOnceRight, _ session: Session) {
    let result: OpenEventSystem.Reply
    do {
      let request = try OpenEventSystem(body: message.body)
      let port = try message.takeSendRight(at: 0)
      result = try open(request, port, session)
    } catch PortError.descriptorShortage {
      result = .failure(.limitReached)
    } catch {
      result = .failure(.malformed)
    }
    _ = reply.send(Self.message(OpenEventSystem.self, result), timeout: .zero)
  }

  private func open(
    _ request: OpenEventSystem, _ port: consuming SendRight, _ session: Session
  ) throws(PortError) -> OpenEventSystem.Reply {
    guard clientsBySession[session.id] == nil else { return .failure(.alreadyOpen) }
    let id = ClientID(rawValue: nextClient)
    nextClient += 1
    let client = Client(id, request.clientName, session.peer.processID, port)
    // What may be in flight to a client that does not read must fit, or a delivery would be refused.
    try client.eventPort.reserveSendBuffer(bytes: BrokerLimits.eventSendBuffer)
    client.notice = try notices.watch(client.eventPort) { [unowned self] in remove(id) }
    clients[id] = client
    clientsBySession[session.id] = id
    dispatcher.addClient(id)
    return .success(OpenEventSystem.Answer(displaySize: display, clientID: id))
  }

  private func client(of session: Session) throws(EventSystemStatus) -> ClientID {
    guard let id = clientsBySession[session.id] else { throw .notOpen }
    return id
  }

  private func createWindow(
    _ request: CreateWindow, _ session: Session
  ) throws(EventSystemStatus) -> CreateWindow.Answer {
    CreateWindow.Answer(windowID: try dispatcher.createWindow(request, by: try client(of: session), at: .now))
  }

  private func moveWindow(_ request: MoveWindow, _ session: Session) throws(EventSystemStatus) -> EventSystemDone {
    try dispatcher.moveWindow(request, by: try client(of: session))
    return EventSystemDone()
  }

  private func destroyWindow(
    _ request: DestroyWindow, _ session: Session
  ) throws(EventSystemStatus) -> EventSystemDone {
    perform(try dispatcher.destroyWindow(request, by: try client(of: session), at: .now))
    return EventSystemDone()
  }

  private func listWindows(_ request: ListWindows, _ session: Session) -> ListWindows.Answer {
    let focused = dispatcher.router.focus.target?.window
    let windows = dispatcher.router.windows.windows.prefix(HIDLimits.windowsPerListing).map { window in
      let client = clients[window.client]
      return WindowInfo(
        windowID: window.id, clientID: window.client, clientName: client?.name ?? "",
        processID: client?.processID ?? 0, frame: window.frame, zOrder: window.zOrder, title: window.title,
        isFocused: window.id == focused)
    }
    return ListWindows.Answer(windows: Array(windows))
  }

  // MARK: Events

  private func inject(_ message: borrowing Message, _ reply: consuming SendOnceRight, _ session: Session) {
    let now = Instant.now
    do {
      let request = try InjectEvent(body: message.body)
      let (injection, actions) = try dispatcher.inject(request.event, from: session.id.rawValue, at: now)
      answers[injection] = OwedReply(session.id, reply)
      perform(actions)
    } catch let status as EventSystemStatus {
      _ = reply.send(Self.message(InjectEvent.self, .failure(status)), timeout: .zero)
    } catch {
      _ = reply.send(Self.message(InjectEvent.self, .failure(.malformed)), timeout: .zero)
    }
  }

  private func finished(_ message: borrowing Message, _ session: Session) -> String? {
    // Of a client that is gone already: its port's death was faster than this message.
    guard let client = clientsBySession[session.id] else { return nil }
    do {
      let note = try EventsFinished(body: message.body)
      perform(try dispatcher.finished(note.sequence, by: client))
      return nil
    } catch let error as ClientQueue.UnknownSequence {
      return "acknowledged delivery \(error.sequence), \(error.lastSent) is the last"
    } catch {
      return "malformed acknowledgement: \(error)"
    }
  }

  private func perform(_ actions: [EventDispatcher.Action]) {
    for action in actions {
      switch action {
      case .send(let client, let batch): send(batch, to: client)
      case .answer(let answer):
        answers.removeValue(forKey: answer.injection)?
          .send(Self.message(InjectEvent.self, .success(answer.outcome)))
      }
    }
    while let client = doomed.popLast() { remove(client) }
  }

  private func send(_ batch: ClientQueue.Batch, to id: ClientID) {
    guard let client = clients[id] else { return }
    let events = HIDEvents(
      sequence: batch.sequence, readNanoseconds: batch.readAt.nanoseconds,
      deliveryNanoseconds: Instant.now.nanoseconds, events: batch.events)
    let message = Message(id: HIDEvents.messageID.rawValue, body: events.makeBody())
    switch client.eventPort.send(message, timeout: .zero) {
    case .sent: return
    case .returned(_, let error):
      // Dead: the notice is on its way and settles everything.
      if error == .deadName { return }
      log.warning(key: client.name, "\(client.name) was cut off from events: \(error)")
      doomed.append(id)
    }
  }

  // MARK: Ends

  func sessionEnded(_ session: Session) {
    if let client = clientsBySession.removeValue(forKey: session.id) { remove(client) }
    // The ledger gives no answers for an injector that is gone.
    for (injection, answer) in answers where answer.session == session.id { answers[injection] = nil }
    for action in dispatcher.removeSender(session.id.rawValue, at: .now) { perform([action]) }
  }

  private func remove(_ id: ClientID) {
    guard let client = clients.removeValue(forKey: id) else { return }
    if let notice = client.notice { notices.forget(notice) }
    if let session = clientsBySession.first(where: { $0.value == id })?.key { clientsBySession[session] = nil }
    perform(dispatcher.removeClient(id))
  }
}
