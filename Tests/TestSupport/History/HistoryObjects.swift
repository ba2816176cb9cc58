import LinuxSystem
import PortKit

// Noncopyable rights as values of dictionaries, for one thread.

final class RightHolder {
  private var right: SendRight?
  init(_ right: consuming SendRight) { self.right = consume right }

  func take() -> SendRight? { right.take() }
  func copy() throws(PortError) -> SendRight { try right!.copy(timeout: .zero) }
  func send(_ message: consuming Message) -> SendOutcome { right!.send(message, timeout: .zero) }

  var isDead: Bool {
    guard let right = right.take() else { return true }
    let answer = right.isDeadName
    self.right = consume right
    return answer
  }

  func watch(for port: borrowing ReceiveRight) throws(PortError) -> DeadNameRequest {
    try right!.requestDeadNameNotification(to: port)
  }

  func call(_ message: consuming Message, onEnd: @escaping @Sendable (consuming CallOutcome) -> Void) {
    right!.call(message, timeout: .seconds(60), onEnd: onEnd)
  }
}

final class OnceHolder {
  private var right: SendOnceRight?
  init(_ right: consuming SendOnceRight) { self.right = consume right }

  func take() -> SendOnceRight? { right.take() }
}

final class MailboxHolder {
  private var port: ReceiveRight?
  init(_ port: consuming ReceiveRight) { self.port = consume port }

  func take() -> ReceiveRight? { port.take() }
  func makeRight() throws(PortError) -> SendRight { try port!.makeSendRight() }
  func makeOnce() throws(PortError) -> SendOnceRight { try port!.makeSendOnceRight() }
  func arm(sync: Int) throws(PortError) { try port!.requestNoSendersNotification(sync: sync) }
  func setLimit(_ limit: Int) throws(PortError) { try port!.setQueueLimit(limit) }

  func watch(_ right: RightHolder) throws(PortError) -> DeadNameRequest { try right.watch(for: port!) }

  /// Nil when nothing is there.
  func next() throws(PortError) -> Message? {
    while true {
      if let message = try port!.receiveIfReady() { return message }
      guard let port = port.take() else { return nil }
      let isEmpty = !port.hasStagedMail
      self.port = consume port
      if isEmpty { return nil }
    }
  }
}

/// How a call ended, from the library's thread to the actor's.
final class Ending: Sendable {
  private let result = Monitor(HistoryResult?.none)

  func set(_ outcome: consuming CallOutcome) {
    let new: HistoryResult
    do {
      new = .reply(UInt32(try outcome.get().id))
    } catch {
      new = HistoryResult(error)
    }
    result.withLock { $0 = new }
    result.notifyAll()
  }

  /// Waits for the end, which the model says has come.
  func get() -> HistoryResult {
    result.wait(until: Deadline(after: .seconds(5)), while: { $0 == nil })
    return result.withLock { $0 } ?? .failed("the call has not ended")
  }
}
