import LinuxSystem
import PortKit

/// What one more wire on a port costs the others: each operation on a port that has 1 to 10 000 wires.
///
/// Each figure is nanoseconds of one operation, the least of several rounds; one process is both sides.
enum WireCosts {
  private static let counts = [1, 10, 100, 1_000, 10_000]
  private static let rounds = 9
  /// The holders' ends beyond so many are with another process.
  private static let localMost = 1_000

  static func printTable() throws {
    let limit = try raiseDescriptorLimit()
    var lines = [
      "nanoseconds for one operation on a port with so many wires",
      row("wires", ["make", "copy", "adopt", "drop", "receive", "deep"]),
    ]
    for count in counts {
      let need = count + localMost + 1000
      guard need <= limit else {
        lines.append("\(count) wires need \(need) descriptors; the limit is \(limit)")
        continue
      }
      lines.append(row("\(count)", try measure(count).map { "\($0)" }))
    }
    lines.append("make: a send right; copy: at the holder; adopt: at the owner; drop: with its notice to the owner")
    lines.append(
      "receive: send and receive of one message at a time; deep: one message waits in each of at most \(localMost)")
    for line in lines { try StandardStream.output.write(line + "\n") }
  }

  private static func row(_ name: String, _ fields: [String]) -> String {
    ([name] + fields).map { String(repeating: " ", count: max(1, 9 - $0.count)) + $0 }.joined()
  }

  private static func measure(_ count: Int) throws -> [Int] {
    let port = try ReceiveRight()
    let here = min(count, localMost)
    var rights = [RightHolder(try port.makeIntroducingSendRight())]
    for _ in 1..<max(here, 1) { rights.append(RightHolder(try port.makeSendRight())) }
    let crowd = try Crowd()
    defer { crowd.end() }
    for start in stride(from: here, to: count, by: Crowd.batch) {
      try crowd.hold(from: port, min(Crowd.batch, count - start))
    }
    look(at: port)
    let many = 40
    var best = [Int](repeating: .max, count: 6)
    func note(_ column: Int, _ operations: Int, _ start: Instant) {
      best[column] = min(best[column], Int(Instant.now.nanoseconds - start.nanoseconds) / operations)
    }
    for round in 0..<rounds {
      var made: [RightHolder] = []
      var start = Instant.now
      for _ in 0..<many { made.append(RightHolder(try port.makeSendRight())) }
      note(0, many, start)
      made = []
      look(at: port)
      var copying: Int64 = 0
      var adopting: Int64 = 0
      // No more than may be under way at once.
      for _ in 0..<(many / 8) {
        start = Instant.now
        for _ in 0..<8 { made.append(RightHolder(try rights[0].right.copy())) }
        let middle = Instant.now
        look(at: port)
        copying += middle.nanoseconds - start.nanoseconds
        adopting += Instant.now.nanoseconds - middle.nanoseconds
      }
      best[1] = min(best[1], Int(copying) / many)
      best[2] = min(best[2], Int(adopting) / many)
      start = Instant.now
      made = []
      look(at: port)
      note(3, many, start)
      start = Instant.now
      for step in 0..<200 {
        try rights[(step * 7919 + round) % here].right.send(Message(id: 1)).get()
        _ = try port.receive(timeout: .zero)
      }
      note(4, 200, start)
      for holder in rights { try holder.right.send(Message(id: 2)).get() }
      start = Instant.now
      for _ in 0..<here { _ = try port.receive(timeout: .zero) }
      note(5, here, start)
    }
    verify(port.faults.isEmpty, "\(port.faults)")
    return best
  }

  /// Lets the port do what it does for itself.
  private static func look(at port: borrowing ReceiveRight) {
    var isReady = true
    while isReady {
      verify((try? port.receive(timeout: .zero)) == nil, "mail from nobody")
      isReady = (try? waitForReadiness(of: port.pollDescriptor, .readable, until: Deadline(after: .zero))) ?? false
    }
  }

  /// Another process that holds rights and does nothing with them.
  final class Crowd {
    static let batch = 200
    private let process: ChildProcess
    private let right: SendRight
    private let directory: TemporaryDirectory

    init() throws {
      directory = try TemporaryDirectory(prefix: "portbench")
      let path = directory.path + "/s"
      process = try ChildProcess(
        try ProcessFacts.executableDirectory() + "/portbench", ["--hold", path], diesWithThread: true)
      verify(process.readLine(until: Deadline(after: .seconds(5))) == "ready", "the other process did not start")
      right = SendRight(adopting: try NamedSocket.connect(to: path))
    }

    func hold(from port: borrowing ReceiveRight, _ count: Int) throws {
      var message = Message(id: 1)
      for _ in 0..<count { message.attach(try port.makeSendRight()) }
      _ = try right.call(message, timeout: .seconds(10)).get()
    }

    func end() { directory.remove() }
  }

  /// The other process.
  static func hold(at path: String) throws {
    try raiseDescriptorLimit()
    let listener = try NamedSocket.listen(at: path)
    try StandardStream.output.write("ready\n")
    _ = try waitForReadiness(of: listener.number, .readable, until: Deadline(.distantFuture))
    guard let socket = try NamedSocket.accept(from: listener) else { fail("nobody came") }
    let port = try ReceiveRight(adopting: socket)
    try port.requestNoSendersNotification()
    var held: [RightHolder] = []
    while true {
      var message = try port.receive()
      if message.notification != nil { return }
      for index in 0..<message.rightsCount { held.append(RightHolder(try message.takeSendRight(at: index))) }
      if let reply = message.takeReply() { try reply.send(Message(id: 2)).get() }
    }
  }

  private final class RightHolder {
    let right: SendRight
    init(_ right: consuming SendRight) { self.right = right }
  }
}
