import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// A process with rights of ours is killed.
@Suite struct CrashTests {
  @Test func theKernelCleansUpAfterAKilledProcess() async throws {
    let directory = try TemporaryDirectory(prefix: "crash")
    defer { directory.remove() }
    let path = directory.path + "/socket"
    let listener = ListenerBox(try NamedSocket.listen(at: path))
    let target = PortBox(try ReceiveRight())
    try target.port.requestNoSendersNotification(sync: 1)
    let parent = WorkerThread { Self.serve(listener, target) }
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let wire = SendRight(adopting: try NamedSocket.connect(to: path))
      let own = try ReceiveRight()
      var request = Message(id: 1)
      request.attach(try own.makeSendRight())
      var reply = try wire.call(request, timeout: .seconds(10)).get()
      let once = OnceBox(try reply.takeSendOnceRight(at: 0))
      let right = try reply.takeSendRight(at: 1)
      try right.send(Message(id: 5)).get()
      _ = right.call(Message(id: 6), timeout: .zero)
      kill(getpid(), SIGKILL)
      _ = consume once
    }
    parent.join()
    var seen: [Received] = []
    while seen.count < 4, let next = target.port.next() { seen.append(next) }
    check(seen.count == 4, "\(seen)")
    check(Array(seen.filter { $0.notification == nil }) == [Received(id: 5), Received(id: 6)])
    check(seen.contains { $0.notification == .sendOnce })
    check(seen.contains { $0.notification == .noSenders(makeSendCount: 1) })
  }

  private final class ListenerBox: Sendable {
    let descriptor: Descriptor
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
  }

  /// Gives the child a send right and a send-once right, and watches the child's own port until it is dead.
  private static func serve(_ listener: ListenerBox, _ target: PortBox) {
    let number = listener.descriptor.number
    guard (try? waitForReadiness(of: number, .readable, until: Deadline(after: .seconds(20)))) == true,
      let accepted = try? NamedSocket.accept(from: listener.descriptor),
      let port = try? ReceiveRight(adopting: accepted),
      var request = try? port.receive(timeout: .seconds(20)), let reply = request.takeReply(),
      let childs = try? request.takeSendRight(at: 0), let watcher = try? ReceiveRight()
    else {
      Issue.record("the child did not come")
      return
    }
    _ = try? childs.requestDeadNameNotification(to: watcher)
    var answer = Message(id: 2)
    if let once = try? target.port.makeSendOnceRight() { answer.attach(once) }
    if let right = try? target.port.makeSendRight() { answer.attach(right) }
    let refusal = error(of: reply.send(answer))
    check(refusal == nil)
    check(watcher.next(timeout: .seconds(20))?.id == 72)
  }
}
