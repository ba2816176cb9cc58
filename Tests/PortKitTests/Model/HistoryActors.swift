import LinuxSystem
import PortKit
import TestSupport

/// The real side of a history: an actor in a process or on a thread, and the wires to and from it.
final class HistoryLink {
  /// Nil for a thread.
  let process: ChildProcess?
  private let thread: WorkerThread?
  private let port: PortBox
  private let inbox: SendRight
  /// What it has open when it has no objects.
  private(set) var base = HistoryCensus()

  /// A process.
  init(_ probe: Probe) throws {
    guard let connection = probe.takeConnection() else { throw HistoryError.noAnswer("no connection") }
    port = PortBox(try ReceiveRight(adopting: connection))
    try port.port.requestNoSendersNotification()
    inbox = try Self.inbox(port)
    process = probe.process
    thread = nil
    // Its first answer comes when it has put away what it needed to begin.
    try start([])
    _ = try finish()
    base = try HistoryCensus(of: probe.process)
  }

  /// A thread of this process.
  init() throws {
    let box = PortBox(try ReceiveRight())
    thread = WorkerThread {
      do { try HistoryActor.serve(try box.port.makeSendRight()) } catch { print("an actor failed: \(error)") }
    }
    port = box
    inbox = try Self.inbox(box)
    process = nil
  }

  private static func inbox(_ port: PortBox) throws -> SendRight {
    var hello = try port.port.receive(timeout: .seconds(20))
    return try hello.takeSendRight(at: 0)
  }

  /// Lets the actor perform the commands; its results are to be read.
  func start(_ commands: [HistoryCommand], bringing right: consuming SendRight? = nil) throws {
    var writer = MessageWriter()
    for command in commands { command.write(to: &writer) }
    var batch = Message(id: 1, writer)
    if let right = right.take() { batch.attach(right) }
    try inbox.send(batch).get()
  }

  struct Answer: ~Copyable {
    let results: [HistoryResult]
    var exported: SendRight?
  }

  func finish() throws -> Answer {
    var message = try port.port.receive(timeout: .seconds(5))
    if message.notification != nil { throw HistoryError.noAnswer("the actor is gone") }
    var results: [HistoryResult] = []
    do {
      var reader = MessageReader(message.body)
      while reader.remaining > 0 { results.append(try HistoryResult(&reader)) }
    }
    if message.rightsCount > 0 { return Answer(results: results, exported: try message.takeSendRight(at: 0)) }
    return Answer(results: results, exported: nil)
  }

  /// SIGKILL for a process; a thread ends by itself.
  func end() {
    if let process {
      process.kill()
      _ = process.wait(until: Deadline(after: .seconds(5)))
    } else {
      _ = inbox.send(Message(id: 0))
      thread?.join()
    }
  }
}
