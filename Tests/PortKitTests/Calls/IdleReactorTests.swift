import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// The thread that waits for everything asynchronous sleeps while nothing happens.
@Suite struct IdleReactorTests {
  /// Settling and watching are what is measured: nothing may happen in that time.
  @Test(.enabled(if: !Depth.hasSanitizer), .timeLimit(.minutes(1))) func pendingCallsCostNoWakeUps() throws {
    let probe = try Probe("pending")
    guard let connection = probe.takeConnection() else { throw StageError.noLine("a connection", seen: []) }
    let port = try ReceiveRight(adopting: connection)
    for id in 1...3 as ClosedRange<Int32> {
      var request = try port.receive(timeout: .seconds(20))
      check(request.id == id)
      try request.takeReply()!.send(Message(id: 0)).get()
    }
    check(try probe.process.lines(through: "ready").count == 4)
    #expect(probe.process.wait(until: Deadline(after: .milliseconds(500))) == nil)
    let before = try ownWaits(of: probe.process)
    #expect(probe.process.wait(until: Deadline(after: .seconds(2))) == nil)
    #expect(try ownWaits(of: probe.process) == before)
    #expect(before.count == 3)
    var answered: [Int32] = []
    while answered.count < 3 {
      var request = try port.receive(timeout: .seconds(20))
      guard let reply = request.takeReply() else { continue }
      answered.append(request.id)
      try reply.send(Message(id: 0)).get()
    }
    check(answered == [4, 5, 6])
    check(try probe.process.lines(through: "done") == ["answered 4", "answered 5", "answered 6", "done"])
  }

  /// Of the main thread, the reactor, and the one for callbacks, which are the first. Those that Swift has for tasks
  /// end when they have been idle.
  private func ownWaits(of process: ChildProcess) throws -> [Int: Int] {
    let all = try ProcessCensus.waits(of: process).map { (Int($0.key) ?? 0, $0.value) }.sorted { $0.0 < $1.0 }
    return Dictionary(uniqueKeysWithValues: all.prefix(3))
  }
}
