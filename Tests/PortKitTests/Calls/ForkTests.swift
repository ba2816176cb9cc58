import Glibc
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// X10: a child made by fork has no rights, and a program that it becomes inherits none.
@Suite struct ForkTests {
  /// Everything that a child may be tempted to do with the parent's rights, each with a typed error.
  private static func allIsDead(_ right: RightBox, _ port: PortHolder, _ once: OnceBox?) -> Bool {
    var isRight = right.right.post(1) == .deadName && right.right.isDeadName
    isRight = isRight && Ending(right.right.call(Message(id: 1, body: [2]))) == .returned(1, [2], .deadName)
    isRight = isRight && right.right.lateReplies == 0
    do throws(PortError) {
      _ = try right.right.copy()
      return false
    } catch {
      if error != .deadName { return false }
    }
    if let once = once?.take(), error(of: once.send(Message(id: 3))) != .deadName { return false }
    guard let receiver = port.take() else { return false }
    do throws(PortError) {
      _ = try receiver.receive(timeout: .zero)
      return false
    } catch {
      if error != .deadName { return false }
    }
    receiver.destroyed()
    return isRight
  }

  @Test("X10: rights are dead names in a forked child, and its end changes nothing for anybody")
  func rightsAreDeadInTheChild() async {
    await #expect(processExitsWith: .success) {
      let port = try ReceiveRight()
      let right = RightBox(try port.makeSendRight())
      let mine = PortHolder(try ReceiveRight())
      let held = mine.take()!
      let toMine = try held.makeSendRight()
      try held.requestNoSendersNotification()
      let once = OnceBox(try port.makeSendOnceRight())
      let box = PortHolder(consume held)
      for _ in 0..<20 {
        let child = RawProcess.inForkedChild { Self.allIsDead(right, box, once) }
        check(RawProcess.end(of: child) == 0)
      }
      // The parent's are as they were.
      check(right.right.post(4) == nil && port.next() == Received(id: 4) && port.waiting() == nil)
      check(toMine.post(5) == nil)
      let own = box.take()!
      check(own.next() == Received(id: 5) && own.waiting() == nil)
      try once.take()!.send(Message(id: 6)).get()
      check(port.next() == Received(id: 6))
    }
  }

  /// The thread sanitizer's own locks are not given back in a child of a busy process.
  @Test("X10: a child of a busy process does not hang", .enabled(if: !Depth.hasSanitizer, "no sanitizer"))
  func aChildOfABusyProcessDoesNotHang() throws {
    let process = try ChildProcess(try ProcessFacts.executableDirectory() + "/PortProbe", ["fork", "200"])
    #expect(try process.result(within: .seconds(60)).lines == ["0 failures"])
  }

  @Test("X10: with no descriptor free the child lets go as well")
  func aFullTableIsNoObstacle() async {
    await #expect(processExitsWith: .success) {
      let port = try ReceiveRight()
      let right = RightBox(try port.makeSendRight())
      try setDescriptorLimit(64)
      var fillers: [SendBox] = []
      while let pair = try? PacketSocket.pair() {
        fillers.append(SendBox(pair.first))
        fillers.append(SendBox(pair.second))
      }
      let child = RawProcess.inForkedChild { right.right.post(1) == .deadName && right.right.isDeadName }
      // Waiting for the child takes one.
      fillers.removeAll()
      check(RawProcess.end(of: child) == 0)
      check(right.right.post(2) == nil && port.next() == Received(id: 2))
      _ = consume fillers
    }
  }

  private final class SendBox: Sendable {
    let socket: PacketSocket
    init(_ socket: consuming PacketSocket) { self.socket = socket }
  }

  @Test("X10: peers notice the parent's death although its forked child lives on")
  func theChildHoldsNothing() async throws {
    let directory = try TemporaryDirectory(prefix: "fork")
    defer { directory.remove() }
    let path = directory.path + "/socket"
    let listener = ListenerBox(try NamedSocket.listen(at: path))
    let parent = WorkerThread { Self.watchParent(listener) }
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let wire = SendRight(adopting: try NamedSocket.connect(to: path))
      let child = RawProcess.inForkedChild { RawProcess.waitForSignal() }
      var writer = MessageWriter()
      writer.write(child)
      try wire.send(Message(id: 1, writer)).get()
      kill(getpid(), SIGKILL)
    }
    parent.join()
  }

  private final class ListenerBox: Sendable {
    let descriptor: Descriptor
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
  }

  private static func watchParent(_ listener: ListenerBox) {
    let number = listener.descriptor.number
    guard (try? waitForReadiness(of: number, .readable, until: Deadline(after: .seconds(20)))) == true,
      let accepted = try? NamedSocket.accept(from: listener.descriptor),
      let port = try? ReceiveRight(adopting: accepted),
      let message = try? port.receive(timeout: .seconds(20))
    else {
      Issue.record("the parent did not come")
      return
    }
    _ = try? port.requestNoSendersNotification()
    var reader = MessageReader(message.body)
    let child = (try? reader.read(Int32.self)) ?? 0
    check(port.next(timeout: .seconds(20))?.notification == .noSenders(makeSendCount: 0))
    check(child > 0 && kill(child, 0) == 0, "the child lives")
    if child > 0 { kill(child, SIGKILL) }
  }

  @Test("X10: after exec nothing of a right is open")
  func aProgramInheritsNothing() async {
    await #expect(processExitsWith: .success) {
      // The test library's parent may have passed some on.
      let strange = openDescriptors()
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      let once = OnceBox(try port.makeSendOnceRight())
      let watch = try right.requestDeadNameNotification(to: port)
      right.call(Message(id: 1)) { _ in }
      let list = try ChildProcess("/bin/ls", ["-l", "/proc/self/fd"])
      let result = try list.result()
      check(result.end == .exited(0) && result.lines.count >= 4, "\(result)")
      let inherited = result.lines.compactMap { line -> CInt? in
        let words = line.split(separator: " ")
        guard let arrow = words.firstIndex(of: "->"), !words[arrow + 1].hasPrefix("/proc/") else { return nil }
        return CInt(words[arrow - 1])
      }
      // Input, output and error are the child's own.
      let ours = inherited.filter { $0 > 2 && !strange.contains($0) }
      check(ours.isEmpty && inherited.count >= 3, "\(result.lines) \(strange)")
      _ = (consume once, watch)
      check(right.post(2) == nil)
    }
  }
}
