import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Copies keep their deadlines, and leave nothing behind.
@Suite struct CopyDeadlineTests {
  /// A port whose wire has no byte left, not even for the library.
  private func fullPort() throws -> (PortBox, RightBox) {
    let port = try ReceiveRight()
    try port.setQueueLimit(Limits.highestQueueLimit)
    let right = try port.makeSendRight()
    while right.fill(size: Limits.inlineBody) > 0 {}
    // The system's largest buffer, and small packets in what the large ones left.
    try right.end.socket.setSendBuffer(bytes: Int(CInt.max / 2))
    let stray = FrameHeader(kind: .message, id: 7).encoded()
    while right.inject(stray) {}
    return (PortBox(port), RightBox(right))
  }

  @Test func aCopyWithoutRoomWaitsUntilItsDeadline() throws {
    let (port, right) = try fullPort()
    let begin = Instant.now
    do throws(PortError) {
      _ = try right.right.copy(timeout: .milliseconds(50))
      Issue.record("there was room")
    } catch {
      check(error == .timedOut && Instant.now.nanoseconds - begin.nanoseconds >= 50_000_000)
    }
    let copier = WorkerThread { check((try? right.right.copy(timeout: .seconds(60)))?.post(9) == nil) }
    while port.port.next()?.id != 9 {}
    copier.join()
    // No credit was lost with the copy that was not made.
    check(right.right.end.travelState.copyCredit == Limits.unadoptedCopies - 1)
  }

  @Test func aCopyWithoutRoomEndsWithItsPort() throws {
    let (port, right) = try fullPort()
    let copier = WorkerThread {
      do throws(PortError) {
        _ = try right.right.copy(timeout: nil)
        Issue.record("there was room")
      } catch {
        check(error == .deadName)
      }
    }
    try port.port.destroy()
    copier.join()
  }

  @Test func aRightThatOnlyCopiesKeepsNoNoteOfEachCopy() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    for _ in 0..<(20 * Limits.ledgerPackets) {
      _ = try right.copy(timeout: .seconds(5))
      check(port.waiting() == nil)
    }
    check(right.end.queue.withLock { $0.ledger.outstanding.count } <= Limits.ledgerPackets)
  }

  @Test func attachingACopyHasATimeout() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    var message = Message(id: 1)
    for _ in 0..<Limits.unadoptedCopies { try message.attach(copying: right, timeout: .zero) }
    do {
      try message.attach(copying: right, timeout: .zero)
      Issue.record("a ninth copy")
    } catch {
      check(error == .timedOut && message.rightsCount == Limits.unadoptedCopies)
    }
    _ = port.waiting()
    try message.attach(copying: right, timeout: .seconds(5))
  }
}
