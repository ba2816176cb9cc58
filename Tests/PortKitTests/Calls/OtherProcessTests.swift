import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Replies that another process gives, and what calls cost.
@Suite struct OtherProcessTests {
  /// Starts the other process and gets the right to its port.
  private func start(_ path: String, answers: Bool) throws -> (ChildProcess, RightBox) {
    let listener = try NamedSocket.listen(at: path)
    let program = try Products.directory() + "/PortProbe"
    let process = try ChildProcess(program, ["answer", path, answers ? "answers" : "holds"])
    let number = listener.number
    check(try waitForReadiness(of: number, .readable, until: Deadline(after: .seconds(20))))
    guard let accepted = try NamedSocket.accept(from: listener) else { throw PortError.timedOut }
    let door = try ReceiveRight(adopting: accepted)
    var hello = try door.receive(timeout: .seconds(20))
    return (process, RightBox(try hello.takeSendRight(at: 0)))
  }

  private func forward(_ front: PortBox, to other: RightBox, body: [UInt8]) {
    var forward = Message(id: 2, body: body)
    if let reply = front.takeReply()?.take() { forward.setReply(reply) }
    let refusal = error(of: other.right.send(forward))
    check(refusal == nil)
  }

  @Test func aMovedReplyRightIsAnsweredByTheOtherProcess() throws {
    let directory = try TemporaryDirectory(prefix: "answer")
    defer { directory.remove() }
    let (process, other) = try start(directory.path + "/socket", answers: true)
    let front = PortBox(try ReceiveRight())
    let right = RightBox(try front.port.makeSendRight())
    let endings = Endings()
    right.right.call(Message(id: 1)) { endings.add($0) }
    forward(front, to: other, body: [5])
    let caller = WorkerThread { endings.add(right.right.call(Message(id: 1), timeout: .seconds(10))) }
    forward(front, to: other, body: [6])
    caller.join()
    #expect(Set(endings.wait(for: 2)) == [.reply(3, [5]), .reply(3, [6])])
    process.kill()
  }

  @Test func itsDeathEndsTheCalls() throws {
    let directory = try TemporaryDirectory(prefix: "answer")
    defer { directory.remove() }
    let (process, other) = try start(directory.path + "/socket", answers: false)
    let front = PortBox(try ReceiveRight())
    let right = RightBox(try front.port.makeSendRight())
    let endings = Endings()
    right.right.call(Message(id: 1)) { endings.add($0) }
    forward(front, to: other, body: [5])
    try process.lines(through: "holds")
    let caller = WorkerThread { endings.add(right.right.call(Message(id: 1), timeout: .seconds(10))) }
    forward(front, to: other, body: [6])
    #expect(endings.all.isEmpty)
    process.kill()
    caller.join()
    #expect(endings.wait(for: 2) == [.failed(.replyDropped), .failed(.replyDropped)])
  }
}
