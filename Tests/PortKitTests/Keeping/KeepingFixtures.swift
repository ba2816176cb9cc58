import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// A process that owns a port which this one keeps.
final class KeptOwner {
  let probe: Probe
  private let way: ReceiveRight
  private let inbox: SendRight
  /// The first right to the port.
  let right: RightBox

  init(keptBy keeper: borrowing ReceiveRight) throws {
    probe = try Probe("kept")
    guard let connection = probe.takeConnection() else { throw StageError.noLine("a connection", seen: []) }
    way = try ReceiveRight(adopting: connection)
    var hello = try way.receive(timeout: .seconds(20))
    inbox = try hello.takeSendRight(at: 0)
    var first = Message(id: 1)
    first.attach(try keeper.makeKeepingSendRight())
    try inbox.send(first).get()
    var answer = try way.receive(timeout: .seconds(20))
    right = RightBox(try answer.takeSendRight(at: 0))
  }

  func order(_ id: Int32, _ value: Int32 = 0) throws {
    var writer = MessageWriter()
    writer.write(value)
    try inbox.send(Message(id: id, writer)).get()
  }

  func makeRight() throws -> SendRight {
    try order(14)
    var answer = try way.receive(timeout: .seconds(20))
    return try answer.takeSendRight(at: 0)
  }

  func kill() {
    probe.process.kill()
    _ = probe.process.wait(until: Deadline(after: .seconds(5)))
  }

  func lines(_ count: Int) -> [String] {
    (0..<count).compactMap { _ in probe.process.readLine(until: Deadline(after: .seconds(5))) }
  }

  /// The ids that it told of before it ended.
  func told() -> [Int32] {
    var ids: [Int32] = []
    while let line = probe.process.readLine(until: Deadline(after: .seconds(5))) {
      if line.hasPrefix("got "), let id = Int32(line.dropFirst(4)) { ids.append(id) }
    }
    return ids
  }
}

extension ReceiveRight {
  /// The next kept port whose owner is gone.
  borrowing func nextOrphan() throws -> ReceiveRight {
    var message = try receive(timeout: .seconds(10))
    check(message.notification == .portDestroyed, "\(message.notification as Any)")
    check(message.id == 69)
    return try message.takeReceiveRight(at: 0)
  }

  /// What is there now.
  borrowing func drain() -> [Int32] {
    var ids: [Int32] = []
    while let message = try? receive(timeout: .zero) { ids.append(message.id) }
    return ids
  }
}
