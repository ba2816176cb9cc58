import LinuxSystem
import Synchronization
import TestSupport

@testable import PortKit

/// A broker on a thread of the test: answers the requests of one connection after the other as it is told.
final class FakeBroker: Sendable {
  /// What a connection does with its requests.
  enum Manner: Sendable {
    /// A small name server.
    case serve
    /// The same body to everything, be it nonsense.
    case answer([UInt8])
    /// The connection breaks with the request unread, as when the process is killed.
    case die
    /// Ends in an orderly way with the request in hand.
    case leave
    /// Closes the connection as soon as it is made.
    case closeAtOnce
    /// Answers so many requests, then closes.
    case serveThenDie(Int)
  }

  let directory: TemporaryDirectory
  private let listener: Monitor<Descriptor?>
  private let names = Monitor<[String: RightBox]>([:])
  private let log = Monitor<[String]>([])
  private let thread: Mutex<WorkerThread?> = Mutex(nil)

  var address: BrokerAddress { BrokerAddress(path: directory.path + "/socket") }
  /// Requests so far, as words.
  var requests: [String] { log.withLock { $0 } }

  init() throws {
    directory = try TemporaryDirectory(prefix: "broker")
    listener = Monitor(nil)
  }

  deinit { directory.remove() }

  /// Listens, and serves one connection for each manner.
  func start(_ manners: [Manner]) throws {
    removeFile(address.path)
    let socket = ListenerBox(try NamedSocket.listen(at: address.path))
    thread.withLock { thread in
      thread = WorkerThread { [self] in
        for manner in manners {
          guard let connection = Self.accept(socket.descriptor) else { return }
          switch manner {
          case .closeAtOnce: continue
          case .die: Self.awaitRequest(connection)
          default: if let port = try? ReceiveRight(adopting: connection) { serve(port, manner) }
          }
        }
      }
    }
  }

  func finish() {
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    running?.join()
  }

  private final class ListenerBox: Sendable {
    let descriptor: Descriptor
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
  }

  private static func accept(_ listener: borrowing Descriptor) -> PacketSocket? {
    let number = listener.number
    guard (try? waitForReadiness(of: number, .readable, until: Deadline(after: .seconds(10)))) == true else {
      return nil
    }
    return try? NamedSocket.accept(from: listener)
  }

  private static func awaitRequest(_ connection: consuming PacketSocket) {
    let number = connection.descriptor.number
    _ = try? waitForReadiness(of: number, .readable, until: Deadline(after: .seconds(10)))
  }

  private func serve(_ port: consuming ReceiveRight, _ manner: Manner) {
    var left = Int.max
    if case .serveThenDie(let count) = manner { left = count }
    _ = try? port.requestNoSendersNotification(sync: 0)
    while left > 0, var request = try? port.receive(timeout: .seconds(10)), request.notification == nil {
      left -= 1
      if case .leave = manner { return }
      guard let reply = request.takeReply() else { continue }
      if case .answer(let body) = manner {
        _ = reply.send(Message(id: 1, body: body))
      } else {
        _ = reply.send(answer(to: &request))
      }
    }
  }

  private func answer(to request: inout Message) -> Message {
    var reader = MessageReader(request.body)
    guard let id = BootstrapMessageID(rawValue: request.id), let body = try? NameRequest(reading: &reader) else {
      return BootstrapReply.make(.malformed)
    }
    let name = String(decoding: body.name, as: UTF8.self)
    log.withLock { $0.append("\(id) \(name)") }
    switch id {
    case .checkIn, .register:
      guard let right = try? request.takeSendRight(at: 0) else { return BootstrapReply.make(.malformed) }
      let box = RightBox(right)
      let isTaken = names.withLock { names in
        if let old = names[name], !old.right.isDeadName { return true }
        names[name] = box
        return false
      }
      return BootstrapReply.make(isTaken ? .serviceActive : .ok)
    case .lookUp:
      guard let box = names.withLock({ $0[name] }), let copy = try? box.right.copy() else {
        return BootstrapReply.make(body.waitNanoseconds > 0 ? .timedOut : .unknownService)
      }
      var reply = BootstrapReply.make(.ok)
      reply.attach(copy)
      return reply
    case .listServices, .reply:
      let list = names.withLock { $0.keys.sorted() }.filter { $0 > name }.prefix(2)
      let entries = list.map { ServiceListing.Entry(name: $0, processID: 1, userID: 2) }
      return BootstrapReply.make(.ok) { ServiceListing(entries).write(to: &$0) }
    }
  }
}
