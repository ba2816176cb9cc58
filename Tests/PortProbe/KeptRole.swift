import LinuxSystem
import PortKit

/// Owns a port that another process keeps, and does with it what it is told. The first message brings the keeper's right;
/// the answer brings a right to the port.
///
/// - 10: receives as many messages as the body says, tells of each, and drops what it was asked to answer.
/// - 11: destroys the port.
/// - 12: takes a request and keeps its reply right.
/// - 13: receives for ever, and tells of each.
/// - 14: makes one more right, which comes with the answer.
enum KeptRole {
  private final class Owned {
    let port: ReceiveRight
    init(_ port: consuming ReceiveRight) { self.port = port }
  }

  private final class Held {
    let message: Message
    init(_ message: consuming Message) { self.message = message }
  }

  static func run(_ path: String) throws {
    let way = SendRight(adopting: try NamedSocket.connect(to: path))
    let inbox = try ReceiveRight()
    var hello = Message(id: 1)
    try hello.attach(makingSendRightFrom: inbox)
    try way.send(hello).get()
    var first = try inbox.receive()
    let keeper = try first.takeSendRight(at: 0)
    let port = try ReceiveRight()
    try port.setQueueLimit(2)
    try port.requestPortDestroyedNotification(to: keeper)
    do { try port.requestPortDestroyedNotification(to: keeper) } catch { say("second \(error)") }
    var answer = Message(id: 2)
    try answer.attach(makingSendRightFrom: port)
    try way.send(answer).get()
    try obey(inbox, Owned(port), way)
  }

  private static func obey(_ inbox: borrowing ReceiveRight, _ owner: Owned, _ way: borrowing SendRight) throws {
    var held: [Held] = []
    while true {
      let order = try inbox.receive()
      switch order.id {
      case 10:
        var reader = MessageReader(order.body)
        for _ in 0..<(try reader.read(Int32.self)) { say("got \(try owner.port.receive().id)") }
      case 11:
        try owner.port.destroy()
        say("destroyed")
      case 12:
        held.append(Held(try owner.port.receive()))
        say("holds")
      case 13: while true { say("got \(try owner.port.receive().id)") }
      default:
        var answer = Message(id: 2)
        try answer.attach(makingSendRightFrom: owner.port)
        try way.send(answer).get()
      }
    }
  }
}
