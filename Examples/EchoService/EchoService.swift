// A service and its client in one program.
//
//   EchoService serve           checks in org.example.echo and answers until it is interrupted
//   EchoService call TEXT...    looks the name up, calls with each text and prints what comes back
import LoopCore
import PortKit

@main struct EchoService {
  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    let name = try ServiceName("org.example.echo")
    switch words.first {
    case "serve": try serve(name)
    case "call": try call(name, Array(words.dropFirst()))
    default: print("usage: EchoService serve | EchoService call TEXT...")
    }
  }

  /// The port is a source of the run loop: each message wakes it, and what the closure returns is the reply.
  static func serve(_ name: ServiceName) throws {
    let bootstrap = try Bootstrap.connect()
    let port = try bootstrap.checkIn(name)
    let source = RunLoop.Source1(port) { request in Message(id: request.id + 100, body: request.body) }
    RunLoop.current.add(source, to: .common)
    // Puts the name up again when the broker was restarted.
    let monitor = try RunLoop.BrokerMonitor(bootstrap, on: .current) { change in print("broker \(change)") }
    print("serving \(name)")
    RunLoop.current.run()
    monitor.invalidate()
  }

  static func call(_ name: ServiceName, _ texts: [String]) throws {
    let service = try Bootstrap.connect().lookUp(name, waitingUpTo: .seconds(5))
    for text in texts {
      var writer = MessageWriter()
      writer.write(text)
      let reply = try service.call(Message(id: 1, writer), timeout: .seconds(5)).get()
      var reader = MessageReader(reply.body)
      print("\(reply.id): \(try reader.readString())")
    }
  }
}
