import LinuxSystem
import PortKit
import Synchronization

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
      let request = try port.receive()
      if answers { try answer(request) } else { hold(request) }
    }
  }

  private static func answer(_ request: consuming Message) throws {
    var request = request
    guard let reply = request.takeReply() else { return }
    try reply.send(Message(id: 3, body: request.body)).get()
  }

  private static func hold(_ request: consuming Message) {
    let holder = Holder(request)
    held.withLock { $0.append(holder) }
    say("holds")
  }

  private static let held = Mutex<[Holder]>([])

  private final class Holder: Sendable {
    private let request: Message
    init(_ request: consuming Message) { self.request = request }
  }
}
