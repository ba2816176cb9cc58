import LinuxSystem
import Synchronization

/// An armed dead-name request, kept by the right that it watches. Does not keep the notified port alive.
struct DeadNameWatch: Sendable {
  let request: DeadNameRequest
  private let target: WeakMailbox

  init(_ mailbox: Mailbox, _ request: DeadNameRequest) {
    target = WeakMailbox(mailbox)
    self.request = request
  }

  func end(_ descriptor: CInt) { target.object?.endWatch(request, of: descriptor) }
}

/// The dead-name requests for one right.
struct DeadNameWatches: ~Copyable, Sendable {
  private let list = Mutex<[DeadNameWatch]>([])

  func begin(_ descriptor: CInt, _ target: borrowing ReceiveRight) throws(PortError) -> DeadNameRequest {
    let watch = try target.mailbox.watchForDeadName(descriptor, owner: target.owner)
    list.withLock { $0.append(watch) }
    return watch.request
  }

  /// To be called when the right goes, while its descriptor is still open.
  func end(_ descriptor: CInt) {
    for watch in list.withLock({ $0 }) { watch.end(descriptor) }
  }
}
