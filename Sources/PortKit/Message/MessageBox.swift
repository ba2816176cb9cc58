import Synchronization

/// Carries a message between threads through copyable containers.
final class MessageBox: Sendable {
  private let message: Mutex<Message?>

  init(_ message: consuming Message) { self.message = Mutex(consume message) }

  func put(_ message: consuming Message) {
    var message: Message? = consume message
    self.message.withLock { $0 = message.take() }
  }

  func take() -> Message? { message.withLock { $0.take() } }
}
