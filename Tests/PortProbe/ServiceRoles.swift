import LoopCore
import PortKit

enum ServiceRoles {
  /// Answers each call with its own body and the id after the request's, on a run loop.
  static func echo(_ name: String) throws {
    let bootstrap = try Bootstrap.connect()
    let port = try bootstrap.checkIn(try ServiceName(name))
    let source = RunLoop.Source1(port) { request in Message(id: request.id + 1, body: request.body) }
    RunLoop.current.add(source, to: .common)
    _ = try RunLoop.BrokerMonitor(bootstrap, on: .current) { change in say("broker \(change)") }
    say("ready")
    RunLoop.current.run()
  }

  /// Takes calls and never answers them.
  static func hang(_ name: String) throws {
    let port = try Bootstrap.connect().checkIn(try ServiceName(name))
    var held: [Held] = []
    say("ready")
    while true {
      var message = try port.receive()
      if let reply = message.takeReply() { held.append(Held(reply)) }
      say("took \(held.count)")
    }
  }

  private final class Held {
    let reply: SendOnceRight
    init(_ reply: consuming SendOnceRight) { self.reply = reply }
  }
}
