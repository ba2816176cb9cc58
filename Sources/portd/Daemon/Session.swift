import LinuxSystem
import LoopCore
import PortKit

/// One client: its connection, who it is, and whether it opened the event system.
final class Session {
  let id: SessionID
  /// As the kernel said when it connected.
  let peer: Credentials
  private let source: RunLoop.Source1
  private let process: Process?
  private let ending: RunLoop.DescriptorSource?

  /// What a descriptor source borrows.
  private final class Process {
    let descriptor: Descriptor
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
  }

  /// - Parameters:
  ///   - process: the client's pidfd; nil where the kernel does not name it, as for another pid name space.
  ///   - onProcessEnd: called when the client's process has ended, though its connection may live on: it may have
  ///     handed us its own end as a right.
  init(
    _ id: SessionID, _ peer: Credentials, process: consuming Descriptor?, _ source: RunLoop.Source1,
    onProcessEnd: @escaping () -> Void
  ) {
    self.id = id
    self.peer = peer
    self.source = source
    guard let process = consume process else {
      (self.process, ending) = (nil, nil)
      return
    }
    let owner = Process(process)
    self.process = owner
    ending = RunLoop.DescriptorSource(owner.descriptor.number, onProcessEnd)
  }

  func schedule(on loop: RunLoop) {
    loop.add(source, to: .common)
    if let ending { loop.add(ending, to: .common) }
  }

  func close() {
    source.invalidate()
    ending?.invalidate()
  }

  /// For log lines, and the key of this client's share of the log.
  var label: String { "client \(peer.processID) (user \(peer.userID))" }

  /// Why its connection was closed for breaking the protocol; nil when it simply left.
  var fault: String? { source.withRight { right in right.faults.last?.description } ?? nil }
}
