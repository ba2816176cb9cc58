import LinuxSystem
import PortKit

/// Has asynchronous calls of all kinds out and does nothing else: some were answered, some wait for their replies, with
/// and without a deadline, one waits for room; and a task waits for a message. Tells of each end.
enum PendingRole {
  static func run(_ path: String) throws {
    let right = SendRight(adopting: try NamedSocket.connect(to: path))
    let ended = Monitor(0)
    func begin(_ id: Int32, timeout: Duration?) {
      right.call(Message(id: id), timeout: timeout) { outcome in
        if case .reply = consume outcome { say("answered \(id)") }
        ended.withLock { $0 += 1 }
        ended.notifyAll()
      }
    }
    for id in 1...3 as ClosedRange<Int32> { begin(id, timeout: id == 3 ? .seconds(3600) : nil) }
    guard ended.wait(until: Deadline(after: .seconds(20)), while: { $0 < 3 }) else { return say("no answers") }
    begin(4, timeout: nil)
    begin(5, timeout: .seconds(3600))
    // Until the queue is full.
    while case .sent = right.send(Message(id: 0), timeout: .zero) {}
    begin(6, timeout: .seconds(7200))
    let quiet = Quiet(try ReceiveRight())
    let unused = try quiet.port.makeSendRight()
    let task = Task { _ = try? await quiet.port.nextMessage() }
    defer { task.cancel() }
    say("ready")
    ended.wait(until: Deadline(.distantFuture), while: { $0 < 6 })
    say("done")
    _ = consume unused
  }

  private final class Quiet: Sendable {
    let port: ReceiveRight
    init(_ port: consuming ReceiveRight) { self.port = port }
  }
}
