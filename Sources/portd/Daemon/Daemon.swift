import HIDKit
import LinuxSystem
import LoopCore
import PortKit
import ServiceKit

/// The broker process: sockets and signals in, sessions to the two services, everything on one run loop.
///
/// Each client has a port of its own here, with the client's connection as its single wire: its death is that port's
/// no-senders, its faults are known by name, and what it sends cannot be taken for another one's.
final class Daemon {
  private let loop: RunLoop
  private let log: Log
  private let names: NameService
  private let events: EventService
  private var sessions: [SessionID: Session] = [:]
  private var nextSession: UInt64 = 1
  private let notices: NoticePort
  private var door: Door?

  init(display: HIDSize, log: Log, loop: RunLoop) throws {
    self.loop = loop
    self.log = log
    notices = try NoticePort(on: loop)
    names = NameService(log: log, loop: loop, notices: notices)
    events = EventService(display: display, log: log, notices: notices)
  }

  /// Serves until a signal ends it.
  func run(in directory: RuntimeDirectory) throws {
    let signals = try SignalDescriptor([.terminate, .interrupt])
    let socket = try BrokerSocket(in: directory)
    door = try Door(socket, log: log, loop: loop) { [unowned self] (client) throws(Errno) in try open(client) }
    let ending = RunLoop.DescriptorSource(signals.descriptor.number) { [unowned self] in
      if let signal = signals.read() { stop(signal) }
    }
    loop.add(ending, to: .common)
    log.notice("listening at \(directory.socketPath), display \(Self.describe(events.display))")
    loop.run()
    door?.close()
    ending.invalidate()
    socket.remove()
    closeAll()
    log.notice("stopped; \(events.summary)")
  }

  private func stop(_ signal: String) {
    log.notice("stopping on \(signal)")
    loop.stop()
  }

  private func closeAll() {
    for session in sessions.values { end(session) }
  }

  // MARK: Sessions

  private func open(_ socket: consuming PacketSocket) throws(Errno) {
    let peer = try socket.peerCredentials()
    guard sessions.count < BrokerLimits.sessions else {
      log.warning(key: "sessions", "client \(peer.processID) was refused: \(BrokerLimits.sessions) are connected")
      return
    }
    let process = peer.processID > 0 ? try openProcess(peer.processID) : nil
    let id = SessionID(rawValue: nextSession)
    nextSession += 1
    do throws(PortError) {
      let port = try ReceiveRight(adopting: socket)
      try port.requestNoSendersNotification()
      let source = RunLoop.Source1(port) { [unowned self] message in
        handle(&message, from: id)
        return nil
      }
      let session = Session(id, peer, process: process, source) { [unowned self] in
        if let session = sessions[id] { end(session) }
      }
      sessions[id] = session
      session.schedule(on: loop)
    } catch {
      if error == .descriptorShortage { throw .tooManyDescriptors }
      log.warning(key: "door", "client \(peer.processID) was refused: \(error)")
    }
  }

  private func handle(_ message: inout Message, from id: SessionID) {
    guard let session = sessions[id] else { return }
    if message.notification != nil {
      if let fault = session.fault { log.warning(key: session.label, "\(session.label) was ended: \(fault)") }
      end(session)
      return
    }
    if let request = BootstrapMessageID(rawValue: message.id) {
      names.handle(request, &message, from: session)
    } else if let request = EventSystemMessageID(rawValue: message.id) {
      if let fault = events.handle(request, &message, from: session) { expel(session, fault) }
    } else {
      expel(session, "message \(message.id) is not known")
    }
  }

  /// A client that does what no client of the library does.
  private func expel(_ session: Session, _ reason: String) {
    log.warning(key: session.label, "\(session.label) was ended: \(reason)")
    end(session)
  }

  private func end(_ session: Session) {
    sessions[session.id] = nil
    names.sessionEnded(session)
    events.sessionEnded(session)
    session.close()
  }

  private static func describe(_ size: HIDSize) -> String { "\(Int(size.width))x\(Int(size.height))" }
}
