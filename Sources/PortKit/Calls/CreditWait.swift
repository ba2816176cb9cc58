import LinuxSystem
import Synchronization

/// A request in an outbox that cannot leave yet, because a right in it must be copied for the journey and has no credit
/// or room for that. What changes this is heard on that right's own wire.
final class CreditWait: ReactorClient {
  let right: HolderEnd
  private weak let end: HolderEnd?
  private let reactor: Reactor
  private let watch: RoomWatch
  private let key = Mutex<UInt64?>(nil)

  /// - Parameter end: whose outbox has the request.
  init(_ right: HolderEnd, for end: HolderEnd, _ reactor: Reactor) throws(PortError) {
    (self.right, self.end, self.reactor) = (right, end, reactor)
    let number = right.socket.descriptor.number
    watch = try translatingErrno { () throws(Errno) in try RoomWatch(number) }
    let key = try translatingErrno { () throws(Errno) in try reactor.add(self, watch.descriptor, isKept: false) }
    self.key.withLock { $0 = key }
    right.creditWait.withLock { $0 = WeakCreditWait(self) }
  }

  deinit { if let key = key.withLock({ $0 }) { reactor.remove(key, watch.descriptor) } }

  /// Changes that come from here on are heard.
  func listen() {
    _ = try? watch.wait(until: Deadline(after: .zero))
    if let key = key.withLock({ $0 }) { reactor.arm(key, watch.descriptor, .readable) }
  }

  /// Another thread read news that the kernel gives no further sign of.
  func poke() { watch.poke() }

  func descriptorIsReady(_ key: UInt64) {
    right.readNews()
    end?.serveOutbox()
  }
}

/// The right that is waited for must not keep who waits.
struct WeakCreditWait: Sendable {
  private weak let wait: CreditWait?

  init(_ wait: CreditWait) { self.wait = wait }

  func poke() { wait?.poke() }
}
