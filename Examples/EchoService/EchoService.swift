// A service and its client in one program.
//
//   EchoService serve           checks in org.example.echo and answers until it is interrupted
//   EchoService call TEXT...    looks the name up, calls with each text and prints what comes back
import Glibc
import LoopCore
import PortKit

@main struct EchoService {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    do {
      switch words.first {
      case "serve": try serve()
      case "call": try call(Array(words.dropFirst()))
      default: fail("usage: EchoService serve | EchoService call TEXT...", status: 2)
      }
    } catch {
      fail("EchoService: \(error)", status: 1)
    }
  }

  static func fail(_ text: String, status: Int32) -> Never {
    _ = write(STDERR_FILENO, text + "\n", text.utf8.count + 1)
    exit(status)
  }

  static func serve() throws {
    let bootstrap = try Bootstrap.connect()
    let port = try bootstrap.checkIn(ServiceName("org.example.echo"))
    // The port is a source of the run loop: each message wakes it, and what the closure returns is the reply.
    let source = RunLoop.Source1(port) { request in Message(id: request.id + 100, body: request.body) }
    RunLoop.current.add(source, to: .common)
    // Puts the name up again when the broker was restarted. The loop keeps it.
    _ = try RunLoop.BrokerMonitor(bootstrap, on: .current) { change in
      print("broker \(change)")
      fflush(nil)
    }
    print("serving org.example.echo")
    fflush(nil)
    RunLoop.current.run()
  }

  static func call(_ texts: [String]) throws {
    let bootstrap = try Bootstrap.connect()
    let service = try bootstrap.lookUp(ServiceName("org.example.echo"), waitingUpTo: .seconds(5))
    for text in texts {
      var writer = MessageWriter()
      writer.write(text)
      // Always ends: with the reply, or because the service died, dropped the reply right, or let the time pass.
      let reply = try service.call(Message(id: 1, writer), timeout: .seconds(5)).get()
      var reader = MessageReader(reply.body)
      print("\(reply.id): \(try reader.readString())")
    }
  }
}
