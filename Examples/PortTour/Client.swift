import PortKit

enum Client {
  static func visit() async throws {
    let bootstrap = try Bootstrap.connect()
    let service = try bootstrap.lookUp(ServiceName("org.example.tour"), waitingUpTo: .seconds(5))
    try call(service)
    try await callWithoutThread(service)
    try subscribe(service)
    try takeOver(service)
  }

  private static func request(_ text: String) -> Message {
    var writer = MessageWriter()
    writer.write(text)
    return Message(id: Ask.greeting, writer)
  }

  private static func text(_ reply: borrowing Message) throws -> String {
    var reader = MessageReader(reply.body)
    return try reader.readString()
  }

  private static func call(_ service: borrowing SendRight) throws {
    let reply = try service.call(request("thread"), timeout: .seconds(5)).get()
    say(try text(reply))
    switch service.call(Message(id: 99), timeout: .seconds(5)) {
    case .reply(let message): say("a reply with id \(message.id)")
    case .returned(let request, let error): say("request \(request.id) was not sent: \(error)")
    case .failed(let error): say("it was sent, and ends without a reply: \(error)")
    }
  }

  private static func callWithoutThread(_ service: borrowing SendRight) async throws {
    let reply = try await service.outcome(of: request("task"), timeout: .seconds(5)).get()
    say(try text(reply))
    let answer = await withCheckedContinuation { done in
      service.call(request("callback"), timeout: .seconds(5)) { outcome in
        // On a thread of the library, once, however the call ends.
        switch consume outcome {
        case .reply(let reply): done.resume(returning: (try? text(reply)) ?? "not a text")
        case .returned(_, let error): done.resume(returning: "not sent: \(error)")
        case .failed(let error): done.resume(returning: "no reply: \(error)")
        }
      }
    }
    say(answer)
  }

  private static func subscribe(_ service: borrowing SendRight) throws {
    let news = try ReceiveRight()
    var request = Message(id: Ask.news)
    try request.attach(makingSendRightFrom: news)
    try service.send(request).get()
    // Sync 1: wait for the first right of all, which is already made. The notification comes after the last message.
    try news.requestNoSendersNotification(sync: 1)
    while true {
      let message = try news.receive(timeout: .seconds(5))
      if case .noSenders = message.notification { break }
      say("news \(message.id)")
    }
    say("no senders")
  }

  private static func takeOver(_ service: borrowing SendRight) throws {
    var reply = try service.call(Message(id: Ask.port), timeout: .seconds(5)).get()
    let port = try reply.takeReceiveRight(at: 0)
    // The service's process may end now. Rights to its port go on, and reach this process.
    try service.send(Message(id: 7)).get()
    let message = try port.receive(timeout: .seconds(5))
    say("message \(message.id) reached its new owner")
  }
}
