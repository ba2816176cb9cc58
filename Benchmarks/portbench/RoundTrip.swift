import LinuxSystem
import PortKit

/// Request and reply of the same size between two processes, through `call` and `receive`.
enum RoundTrip {
  static func measure(_ metric: String, bytes: Int, _ time: Duration) throws {
    let directory = try TemporaryDirectory(prefix: "portbench")
    defer { directory.remove() }
    let path = directory.path + "/s"
    let server = try ChildProcess(
      try ProcessFacts.executableDirectory() + "/portbench", ["--serve", path], diesWithThread: true)
    verify(server.readLine(until: Deadline(after: .seconds(5))) == "ready", "the server did not start")
    let right = SendRight(adopting: try NamedSocket.connect(to: path))

    var samples = Samples()
    var request = Payload.make(bytes)
    let warm = Instant.now.advanced(by: time / 8)
    let end = warm.advanced(by: time)
    var number: UInt64 = 0
    var now = Instant.now
    while now < end || samples.count < 10 {
      number += 1
      Payload.stamp(&request, number)
      let start = Instant.now
      let reply = try right.call(id: 1, body: request.span)
      now = Instant.now
      Payload.check(reply.body, request, number)
      if start >= warm { samples.add(Double(now.nanoseconds - start.nanoseconds) / 1000) }
    }
    samples.report(metric, unit: "us")
  }

  /// One port with the caller's connection as its wire; what comes goes back unchanged.
  static func serve(at path: String) throws {
    let listener = try NamedSocket.listen(at: path)
    try StandardStream.output.write("ready\n")
    _ = try waitForReadiness(of: listener.number, .readable, until: Deadline(.distantFuture))
    guard let socket = try NamedSocket.accept(from: listener) else { fail("nobody came") }
    let port = try ReceiveRight(adopting: socket)
    try port.requestNoSendersNotification()
    while true {
      var message = try port.receive()
      if message.notification != nil { return }
      if let reply = message.takeReply() { try reply.send(message).get() }
    }
  }
}
