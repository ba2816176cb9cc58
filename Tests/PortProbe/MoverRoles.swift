import LinuxSystem
import PortKit

/// Processes that are given a port. They come with a connection to the test's socket and tell it their own port first.
enum MoverRoles {
  static func arrive(at path: String) throws -> (Way, Inbox) {
    let way = Way(SendRight(adopting: try NamedSocket.connect(to: path)))
    let inbox = Inbox(try ReceiveRight())
    var hello = Message(id: 1)
    try hello.attach(makingSendRightFrom: inbox.port)
    try way.right.send(hello).get()
    return (way, inbox)
  }

  final class Way {
    let right: SendRight
    init(_ right: consuming SendRight) { self.right = right }
  }

  final class Inbox {
    let port: ReceiveRight
    init(_ port: consuming ReceiveRight) { self.port = port }
  }

  /// Gives each port back, after it took up to so many messages out of it. Tells their ids with the port.
  static func passBack(_ path: String, most: Int) throws {
    let (way, inbox) = try arrive(at: path)
    while true {
      var message = try inbox.port.receive()
      let port = try message.takeReceiveRight(at: 0)
      var taken = MessageWriter()
      for _ in 0..<most {
        guard let next = try? port.receive(timeout: .zero) else { break }
        taken.write(next.id)
      }
      var answer = Message(id: 3, taken)
      answer.attach(port)
      try way.right.send(answer).get()
    }
  }

  /// Receives so many messages from the port that it is given, tells of each, and holds the port until it is killed.
  static func receive(_ path: String, count: Int) throws {
    let (way, inbox) = try arrive(at: path)
    say("ready")
    var message = try inbox.port.receive()
    let port = try message.takeReceiveRight(at: 0)
    say("made \(port.makeSendCount) limit \(port.queueLimit)")
    for number in 0..<count {
      let next = try port.receive()
      say("got \(next.id)")
      if next.sequenceNumber != number { say("numbered \(next.sequenceNumber ?? -1) instead of \(number)") }
    }
    say("done")
    _ = try inbox.port.receive()
    _ = way
  }
}
