import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Messages whose bytes stay their sender's are the same messages.
@Suite struct BorrowedBytesTests {
  private let none: [UInt8] = []
  private let six: [UInt8] = [6]

  @Test("C13: bodies up to the limit arrive as they are", arguments: [0, 1, 479, 480, 481, 4096, 65_536])
  func sizes(count: Int) throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    try right.send(id: -5, body: body.span)
    let message = try port.receive(timeout: .seconds(5))
    check(message.id == -5 && bytes(of: message) == body && message.traceID == 0 && message.rightsCount == 0)

    let service = EchoThread(consume port)
    let reply = try right.call(id: 7, body: body.span, timeout: .seconds(20))
    check(reply.id == 8 && bytes(of: reply) == body)
    service.stop(right)
  }

  @Test("C13: one byte more is refused, and nothing is queued") func tooLarge() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let body = [UInt8](repeating: 1, count: Limits.inlineBody + 1)
    let error = PortError.messageTooLarge(bytes: body.count, limit: Limits.inlineBody)
    #expect(throws: error) { try right.send(id: 1, body: body.span) }
    #expect(throws: error) { _ = try right.call(id: 1, body: body.span) }
    check(port.waiting() == nil && !right.end.mayStillBeAnswered)
  }

  /// It stands in line like any other message, and is copied for that.
  @Test("C26: who finds no room waits in line") func waitsForRoom() throws {
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    for id in Int32(1)...5 { try right.right.send(id: id, body: none.span) }
    #expect(throws: PortError.timedOut) { try right.right.send(id: 6, body: six.span, timeout: .zero) }
    #expect(throws: PortError.timedOut) { _ = try right.right.call(id: 6, body: six.span, timeout: .milliseconds(1)) }
    let sender = WorkerThread { try? right.right.send(id: 6, body: six.span, timeout: .seconds(20)) }
    check(waitUntil { right.right.end.queue.withLock { $0.waiterCount == 1 } })
    for id in Int32(1)...6 { check(port.next()?.id == id) }
    sender.join()
    check(port.waiting() == nil)
  }

  @Test("C29: a limit of 0 lets none through") func limitOfZero() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    try port.setQueueLimit(0)
    #expect(throws: PortError.timedOut) { try right.send(id: 1, body: six.span, timeout: .zero) }
    check(port.waiting() == nil)
  }

  @Test func theyEndLikeOtherCalls() throws {
    let box = PortBox(try ReceiveRight())
    let right = try box.port.makeSendRight()
    let dropper = WorkerThread { _ = try? box.port.receive(timeout: .seconds(20)) }
    #expect(throws: PortError.replyDropped) { _ = try right.call(id: 1, body: none.span, timeout: .seconds(20)) }
    dropper.join()
    #expect(throws: PortError.timedOut) { _ = try right.call(id: 1, body: none.span, timeout: .milliseconds(5)) }
    try box.port.destroy()
    #expect(throws: PortError.deadName) { _ = try right.call(id: 1, body: none.span, timeout: .seconds(20)) }
    #expect(throws: PortError.deadName) { try right.send(id: 1, body: none.span) }
  }
}
