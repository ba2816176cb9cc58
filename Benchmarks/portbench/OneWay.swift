import LinuxSystem
import PortKit

/// One process sends in batches, another counts: 64 messages to a batch, on a port with a queue of 1024.
enum OneWay {
  private static let last: Int32 = 2
  private static let batch = 64

  static func measure(_ metric: String, bytes: Int, _ time: Duration) throws {
    let directory = try TemporaryDirectory(prefix: "portbench")
    defer { directory.remove() }
    let listener = try NamedSocket.listen(at: directory.path + "/s")
    let sender = try ChildProcess(
      try ProcessFacts.executableDirectory() + "/portbench",
      ["--pour", directory.path + "/s", "\(bytes)", "\(time.nanosecondsClamped / 1_000_000)"],
      diesWithThread: true)
    _ = try waitForReadiness(of: listener.number, .readable, until: Deadline(after: .seconds(5)))
    guard let socket = try NamedSocket.accept(from: listener) else { fail("the sender did not come") }
    let port = try ReceiveRight()
    try port.setQueueLimit(1024)
    let door = SendRight(adopting: socket)
    var invitation = Message(id: 1)
    invitation.attach(try port.makeSendRight())
    try door.send(invitation).get()
    try count(port, bytes, metric, time)
    _ = sender.wait(until: Deadline(after: .seconds(5)))
  }

  private static func count(_ port: borrowing ReceiveRight, _ bytes: Int, _ metric: String, _ time: Duration) throws {
    var expected = Payload.make(bytes)
    var rates = Samples()
    var number: UInt64 = 0
    let start = Instant.now
    var windowStart = start
    var windowNumber: UInt64 = 0
    while true {
      let message = try port.receive()
      if message.id == last { break }
      if number % 32 == 1 { Payload.stamp(&expected, number) }
      Payload.check(message.body, expected, number)
      number += 1
      if number % 64 != 0 { continue }
      let now = Instant.now
      let nanoseconds = now.nanoseconds - windowStart.nanoseconds
      if nanoseconds < time.nanosecondsClamped / 20 { continue }
      rates.add(Double(number - windowNumber) * 1e9 / Double(nanoseconds))
      windowStart = now
      windowNumber = number
    }
    let total = Double(number) * 1e9 / Double(Instant.now.nanoseconds - start.nanoseconds)
    rates.report(metric, unit: "msg/s", value: total)
  }

  static func pour(_ words: [String]) throws {
    guard words.count == 3, let bytes = Int(words[1]), let milliseconds = Int(words[2]) else { fail("no order") }
    let door = try ReceiveRight(adopting: try NamedSocket.connect(to: words[0]))
    var invitation = try door.receive()
    let right = try invitation.takeSendRight(at: 0)
    var payload = Payload.make(bytes)
    var number: UInt64 = 0
    let end = Instant.now.advanced(by: .milliseconds(milliseconds))
    while Instant.now < end {
      var batch = MessageBatch()
      for _ in 0..<Self.batch {
        Payload.stamp(&payload, number)
        try batch.append(id: 1, body: payload.span)
        number += 1
      }
      try right.send(batch).get()
    }
    try right.send(Message(id: last)).get()
  }
}
