import LinuxSystem
import PortKit

/// Takes the reply right that another process moved here and answers, or waits with it in hand to be killed.
enum AnswerRole {
  /// - Parameter path: a socket, on which the first message brings the right of a port to receive from.
  static func run(_ path: String, answers: Bool) throws {
    let wire = SendRight(adopting: try NamedSocket.connect(to: path))
    let port = try ReceiveRight()
    var hello = Message(id: 1)
    hello.attach(try port.makeSendRight())
    try wire.send(hello).get()
    while true {
      var request = try port.receive()
      guard let reply = request.takeReply() else { return }
      if !answers {
        say("holds")
        _ = try port.receive()
      }
      try reply.send(Message(id: 3, body: request.body)).get()
    }
  }
}
