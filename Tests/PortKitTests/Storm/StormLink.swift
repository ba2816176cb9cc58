import LinuxSystem
import PortKit
import TestSupport

/// The test's side of one actor: what it says comes to a port, its orders go to its inbox.
final class StormLink {
  let process: ChildProcess
  private let port: PortBox
  private let inbox: SendRight
  private(set) var isAlive = true
  private var isKilled = false
  /// What it found wrong, and what is wrong with it.
  private(set) var faults: [String] = []

  init(tag: UInt32) throws {
    let probe = try Probe("storm", ["\(tag)"])
    guard let connection = probe.takeConnection() else { throw StormError.noConnection }
    process = probe.process
    port = PortBox(try ReceiveRight(adopting: connection))
    try port.port.requestNoSendersNotification()
    var hello = try port.port.receive(timeout: .seconds(20))
    inbox = try hello.takeSendRight(at: 0)
  }

  func order(_ id: Int32, _ writer: MessageWriter = MessageWriter()) throws {
    if case .returned(_, let error) = inbox.send(Message(id: id, writer)), error != .deadName { throw error }
  }

  /// Lets it send to the inbox of another one, or to its own.
  func open(_ index: Int, of other: StormLink) throws {
    var writer = MessageWriter()
    writer.write(UInt32(index))
    var message = Message(id: StormMail.door, writer)
    message.attach(try other.inbox.copy())
    try inbox.send(message).get()
  }

  /// Waits until it says so. Kills it when it says that its time has come. Nil when it is dead.
  func answer(_ id: Int32, within limit: Duration = .seconds(5)) -> Message? {
    let deadline = Deadline(after: limit)
    while isAlive {
      guard let message = try? port.port.receive(timeout: .nanoseconds(deadline.remainingNanoseconds)) else {
        faults.append("no answer \(id)")
        return nil
      }
      if message.notification != nil {
        isAlive = false
        if process.wait(until: deadline) != .signalled(9) { faults.append("ended by itself") }
      } else if message.id == StormMail.fault {
        faults.append(String(decoding: bytes(of: message), as: UTF8.self))
      } else if message.id == StormMail.point {
        isKilled = true
        process.kill()
      } else if isKilled {
        // It got a little further.
        continue
      } else if message.id == id {
        return message
      } else {
        faults.append("said \(message.id) instead of \(id)")
      }
    }
    return nil
  }

  func end() {
    process.kill()
    _ = process.wait(until: Deadline(after: .seconds(5)))
    isAlive = false
  }
}

enum StormError: Error {
  case noConnection
}
