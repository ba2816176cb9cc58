import LinuxSystem
import Synchronization

/// A right inside a message. (Arrays cannot hold noncopyable rights, so each stands behind a class that owns it.)
enum MessageRight: Sendable {
  case send(HolderEnd)
  case sendOnce(SendOnceBox)
  case receive(ReceiveBox)
  case null
  case dead
  case taken
  /// Announced by the sender, but the receiver had no descriptor left for it.
  case lost

  /// Asks the kernel whether the port still lives, if there is one.
  var kind: RightKind {
    switch self {
    case .send(let end): end.isDeadName ? .deadName : .send
    case .sendOnce(let box): box.isDeadName ? .deadName : .sendOnce
    case .receive: .receive
    case .null: .null
    case .dead: .deadName
    case .taken: .taken
    case .lost: .lost
    }
  }
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

  var isDeadName: Bool { right.withLock { $0?.isDeadName ?? false } }
}

/// Owns a port that lies in a message.
final class ReceiveBox: Sendable {
  private let right: Mutex<ReceiveRight?>

  /// Nothing is received from the port while it is in a message: it leaves its sets.
  init(_ right: consuming ReceiveRight) {
    try? right.leaveAllSets()
    self.right = Mutex(right.unlisted())
  }

  func take() -> ReceiveRight? { right.withLock { $0.take() } }

  /// The port as it leaves, which stays here as well until it has left.
  func pack() throws(PortError) -> PackedPort? {
    try right.withLock { (right) throws(PortError) -> PackedPort? in try right?.pack() }
  }
}

extension ReceiveRight {
  fileprivate func pack() throws(PortError) -> PackedPort { try mailbox.pack(owner: owner) }
}
