import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct DeadNameTests {
  @Test("C44: a right that goes before its port gives port-deleted, and nothing more")
  func aRightThatGoesFirst() throws {
    let target = try ReceiveRight()
    let holder = PortHolder(try ReceiveRight())
    let port = holder.take()!
    let request: DeadNameRequest
    do {
      let right = try port.makeSendRight()
      request = try right.requestDeadNameNotification(to: target)
    }
    check(target.hasStagedMail)
    check(target.next() == Received(id: 65, notification: .portDeleted(request)))
    port.destroyed()
    check(target.waiting() == nil)
  }

  @Test("C44: port-deleted wakes a thread and a descriptor")
  func portDeletedWakes() throws {
    let target = PortBox(try ReceiveRight())
    let port = try ReceiveRight()
    for _ in 0..<50 {
      let right = RightHolder(try port.makeSendRight())
      let waiter = ResultThread { target.port.next()?.id }
      check(eventually { target.port.mailbox.isBeingPolled })
      _ = try right.watched(from: target.port)
      right.drop()
      check(waiter.value() == .some(65))
    }
    let right = RightHolder(try port.makeSendRight())
    let number = target.port.pollDescriptor
    _ = try right.watched(from: target.port)
    right.drop()
    check(try waitForReadiness(of: number, .readable, until: Deadline(after: .zero)))
    check(target.port.waiting()?.id == 65)
    check(try !waitForReadiness(of: number, .readable, until: Deadline(after: .zero)))
  }

  @Test("E8: send-once rights are watched as well, replies too")
  func sendOnceRights() throws {
    let target = try ReceiveRight()
    let holder = PortHolder(try ReceiveRight())
    let port = holder.take()!
    var dies = try port.makeSendOnceRight()
    var used = try port.makeSendOnceRight()
    let first = try dies.requestDeadNameNotification(to: target)
    let second = try used.requestDeadNameNotification(to: target)
    try used.send(Message(id: 1)).get()
    check(target.next()?.notification == .portDeleted(second))
    check(port.next() == Received(id: 1))
    port.destroyed()
    check(target.next()?.notification == .deadName(first) && target.waiting() == nil)
    _ = consume dies
    check(target.waiting() == nil)

    let service = PortBox(try ReceiveRight())
    let caller = RightBox(try service.port.makeSendRight())
    let call = ResultThread { ending(caller.right.call(Message(id: 2), timeout: .seconds(5))) }
    var request = try service.port.receive(timeout: .seconds(5))
    var reply = request.takeReply()!
    let third = try reply.requestDeadNameNotification(to: target)
    check(target.waiting() == nil)
    try reply.send(Message(id: 3)).get()
    check(call.value() == .some(nil))
    check(target.next()?.notification == .portDeleted(third))
  }

  @Test("C43: a killed process is a dead name for each of three watchers; C49: its send-once rights are told of")
  func aKilledProcess() async throws {
    let directory = try TemporaryDirectory(prefix: "dead-name")
    defer { directory.remove() }
    let path = directory.path + "/socket"
    let listener = Listener(try NamedSocket.listen(at: path))
    let onces = PortBox(try ReceiveRight())
    let parent = ResultThread { Self.watchChild(listener, onces) }
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let wire = SendRight(adopting: try NamedSocket.connect(to: path))
      let own = try ReceiveRight()
      var request = Message(id: 1)
      request.attach(try own.makeSendRight())
      var reply = try wire.call(request, timeout: .seconds(10)).get()
      let kept = OnceBox(try reply.takeSendOnceRight(at: 0))
      try reply.takeSendOnceRight(at: 1).send(Message(id: 5)).get()
      // The watchers are armed.
      check(own.next(timeout: .seconds(10)) == Received(id: 6))
      kill(getpid(), SIGKILL)
      _ = consume kept
    }
    check(parent.value() == .some(3))
    // The right that was used gave its message, the one that was held the notification.
    var seen: [Received] = []
    while seen.count < 2, let next = onces.port.next() { seen.append(next) }
    check(seen.contains(Received(id: 5)) && seen.contains(Received(id: 71, notification: .sendOnce)))
    check(onces.port.waiting() == nil)
  }

  private final class Listener: Sendable {
    let descriptor: Descriptor
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
  }

  /// How many of three watchers were told exactly once.
  private static func watchChild(_ listener: Listener, _ onces: PortBox) -> Int {
    let number = listener.descriptor.number
    guard (try? waitForReadiness(of: number, .readable, until: Deadline(after: .seconds(20)))) == true,
      let accepted = try? NamedSocket.accept(from: listener.descriptor),
      let port = try? ReceiveRight(adopting: accepted),
      var request = try? port.receive(timeout: .seconds(20)), let reply = request.takeReply(),
      let first = try? request.takeSendRight(at: 0), let second = try? first.copy(), let third = try? second.copy(),
      let watchers = try? (0..<3).map({ _ in PortBox(try ReceiveRight()) }),
      let requests = try? [
        first.requestDeadNameNotification(to: watchers[0].port),
        second.requestDeadNameNotification(to: watchers[1].port),
        third.requestDeadNameNotification(to: watchers[2].port),
      ]
    else { return -1 }
    var answer = Message(id: 2)
    for _ in 0..<2 { if let once = try? onces.port.makeSendOnceRight() { answer.attach(once) } }
    guard error(of: reply.send(answer)) == nil, first.post(6) == nil else { return -2 }
    return watchers.indices.count { index in
      let told = watchers[index].port.next(timeout: .seconds(20))
      return told == Received(id: 72, notification: .deadName(requests[index]))
        && watchers[index].port.waiting() == nil
    }
  }

  @Test("C49: five ways to lose a send-once right, five notifications; a used one gives none")
  func fiveWays() throws {
    let port = try ReceiveRight()
    let way = try ReceiveRight()
    let toWay = try way.makeSendRight()
    let holder = PortHolder(try ReceiveRight())
    // Dropped; let go of by its holder; in a destroyed message; in a destroyed queue; used for what is refused.
    _ = try port.makeSendOnceRight()
    let kept = OnceBox(try port.makeSendOnceRight())
    _ = kept.take()
    do {
      var destroyed = Message(id: 2)
      destroyed.attach(try port.makeSendOnceRight())
    }
    do {
      let doomed = holder.take()!
      let toDoomed = try doomed.makeSendRight()
      var queued = Message(id: 3)
      queued.attach(try port.makeSendOnceRight())
      try toDoomed.send(queued).get()
    }
    let large = [UInt8](repeating: 0, count: Limits.inlineBody + 1)
    check(error(of: try port.makeSendOnceRight().send(Message(id: 4, body: large))) != nil)
    for _ in 0..<5 { check(port.next() == Received(id: 71, notification: .sendOnce)) }
    check(port.waiting() == nil)
    try port.makeSendOnceRight().send(Message(id: 5)).get()
    check(port.next() == Received(id: 5) && port.waiting() == nil)
    check(toWay.post(1) == nil && way.next() == Received(id: 1))
  }

  @Test("T13: what looks like a notice and comes on a wire is an ordinary message", arguments: Int32(64)...72)
  func imitations(id: Int32) throws {
    let port = try ReceiveRight()
    let set = try PortSet()
    try set.insert(port)
    try port.requestNoSendersNotification(sync: 1)
    let right = try port.makeSendRight()
    check(right.post(id) == nil)
    check(error(of: try port.makeSendOnceRight().send(Message(id: id))) == nil)
    check(port.next() == Received(id: id, notification: nil))
    check(set.next() == Arrival(id: id, member: port.id))
    check(try port.status().hasSenders && port.status().noSendersRequest != nil)
    check(port.waiting() == nil)
  }
}

extension RightHolder {
  func watched(from port: borrowing ReceiveRight) throws -> DeadNameRequest? {
    try withRight { right in try right.requestDeadNameNotification(to: port) }
  }
}
