import Glibc
import LinuxSystem
import TestSupport

@testable import PortKit

/// The shape of a message that a test waited for.
struct Received: Equatable {
  var id: Int32
  var notification: PortNotification?
}

extension ReceiveRight {
  /// The next message's shape; nil when none came. Its rights are destroyed.
  borrowing func next(timeout: Duration = .seconds(5)) -> Received? {
    guard let message = try? receive(timeout: timeout) else { return nil }
    return Received(id: message.id, notification: message.notification)
  }

  /// What is there now.
  borrowing func waiting() -> Received? { next(timeout: .zero) }
}

extension SendRight {
  borrowing func post(_ id: Int32, timeout: Duration? = .seconds(5)) -> PortError? {
    error(of: send(Message(id: id), timeout: timeout))
  }

  /// Sends bytes as they are, as a program without this package could.
  borrowing func inject(_ bytes: [UInt8], descriptors: [CInt] = []) -> Bool {
    (try? end.socket.send(head: bytes, tail: nil, 0..<0, descriptors: descriptors)) ?? false
  }

  /// Fills the wire with mail of `size` bytes and returns how many messages fitted.
  borrowing func fill(size: Int = 4096) -> Int {
    var count = 0
    while error(of: send(Message(id: 7, body: [UInt8](repeating: 1, count: size)), timeout: .zero)) == nil {
      count += 1
    }
    return count
  }
}

/// Nil when the message was sent.
func error(of outcome: consuming SendOutcome) -> PortError? {
  switch consume outcome {
  case .sent: nil
  case .returned(_, let error): error
  }
}

/// A right that is handed between threads or kept in collections.
final class OnceBox: Sendable {
  private let right: Monitor<SendOnceRight?>
  init(_ right: consuming SendOnceRight) { self.right = Monitor(consume right) }
  func take() -> SendOnceRight? { right.withLock { $0.take() } }
}

func seed(_ test: String) -> SeededNumbers {
  .fresh(test, environment: ProcessFacts.environment("PORTKIT_SEED"))
}
