import LinuxSystem
import LoopCore
import PortKit

/// One client: its connection, who it is, and whether it opened the event system.
final class Session {
  let id: SessionID
  /// As the kernel said when it connected.
  let peer: Credentials
  let source: RunLoop.Source1

  init(_ id: SessionID, _ peer: Credentials, _ source: RunLoop.Source1) {
    self.id = id
    self.peer = peer
    self.source = source
  }

  /// For log lines, and the key of this client's share of the log.
  var label: String { "client \(peer.processID) (user \(peer.userID))" }

  /// Why its connection was closed for breaking the protocol; nil when it simply left.
  var fault: String? { source.withRight { right in right.faults.last?.description } ?? nil }
}
