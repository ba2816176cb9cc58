import Synchronization

/// A right inside a message. (Arrays cannot hold noncopyable rights, so each stands behind a class that owns it.)
enum MessageRight: Sendable {
  case send(HolderEnd)
  case sendOnce(SendOnceBox)
  case taken
  /// Announced by the sender, but the receiver had no descriptor left for it.
  case lost
}

/// Owns a send-once right that lies in a message.
final class SendOnceBox: Sendable {
  private let right: Mutex<SendOnceRight?>

  init(_ right: consuming SendOnceRight) { self.right = Mutex(consume right) }

  func take() -> SendOnceRight? { right.withLock { $0.take() } }

  /// The descriptor that stands for the right, which stays here. A reply right becomes a wire of its own first.
  func promote() throws(PortError) -> CInt? {
    try right.withLock { (right) throws(PortError) -> CInt? in try right?.promote() }
  }
}
