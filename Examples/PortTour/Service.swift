import PortKit

/// What the service can be asked, as `msgh_id`.
enum Ask {
  /// Body: a text. Reply: the text, greeted.
  static let greeting: Int32 = 1
  /// Right 0: where news go.
  static let news: Int32 = 2
  /// Reply: right 0, the service's port itself.
  static let port: Int32 = 3
}

enum Service {
  static func serve() throws {
    let bootstrap = try Bootstrap.connect()
    let port = try bootstrap.checkIn(ServiceName("org.example.tour"))
    say("serving")
    while true {
      var request = try port.receive()
      switch request.id {
      case Ask.greeting: try greet(&request)
      case Ask.news: try sendNews(&request)
      case Ask.port:
        guard let reply = request.takeReply() else { continue }
        var gift = Message(id: Ask.port)
        gift.attach(port)
        try reply.send(gift).get()
        return say("handed over")
      default: break  // Its caller gets `replyDropped` when the request is destroyed here.
      }
    }
  }

  private static func greet(_ request: inout Message) throws {
    var reader = MessageReader(request.body)
    let name = try reader.readString()
    var writer = MessageWriter()
    writer.write("hello, " + name)
    if let reply = request.takeReply() {
      try reply.send(Message(id: Ask.greeting, writer)).get()
    }
  }

  private static func sendNews(_ request: inout Message) throws {
    let subscriber = try request.takeSendRight(at: 0)
    for number in 1...3 {
      try subscriber.send(Message(id: Int32(number))).get()
    }
    // The right ends here, and the subscriber's port has no senders any more.
  }
}
