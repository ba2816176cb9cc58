import PortKit

/// The reply right of a client's request whose answer comes later.
final class OwedReply {
  let session: SessionID
  private var reply: SendOnceRight?

  init(_ session: SessionID, _ reply: consuming SendOnceRight) {
    self.session = session
    self.reply = consume reply
  }

  /// Once; the caller gave room for it when it called, or is gone.
  func send(_ message: consuming Message) {
    if let reply = reply.take() { _ = reply.send(message, timeout: .zero) }
  }
}
