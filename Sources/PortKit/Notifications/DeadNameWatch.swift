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

  /// It was not told yet, and there is somebody to tell.
  func isArmed(_ descriptor: CInt) -> Bool { target.object?.isWatching(descriptor, for: request) ?? false }

  func end(_ descriptor: CInt) { target.object?.endWatch(request, of: descriptor) }
}

/// The dead-name requests for one right.
struct DeadNameWatches: ~Copyable, Sendable {
  /// Not private: the compiler fails on a noncopyable owner of it.
  struct List {
    var watches: [DeadNameWatch] = []
    /// Those that have done their work are looked for when there are so many, which costs O(1) for each on average.
    var mostBeforeLook = 16
  }

  private let list = Mutex(List())

  var count: Int { list.withLock { $0.watches.count } }

  func begin(_ descriptor: CInt, _ target: borrowing ReceiveRight) throws(PortError) -> DeadNameRequest {
    let watch = try target.mailbox.watchForDeadName(descriptor, owner: target.owner)
    let isTimeToLook = list.withLock { list in
      list.watches.append(watch)
      return list.watches.count >= list.mostBeforeLook
    }
    if isTimeToLook { forgetOld(descriptor) }
    return watch.request
  }

  /// To be called when the right goes, while its descriptor is still open.
  func end(_ descriptor: CInt) {
    for watch in list.withLock({ $0.watches }) { watch.end(descriptor) }
  }

  /// Ports that were to be told may be gone, and their number has no end while the right lives.
  private func forgetOld(_ descriptor: CInt) {
    // The other ports have locks of their own, so they are asked without this one.
    let old = Set(list.withLock { $0.watches }.filter { !$0.isArmed(descriptor) }.map(\.request))
    list.withLock { list in
      list.watches.removeAll { old.contains($0.request) }
      list.mostBeforeLook = max(16, 2 * list.watches.count)
    }
  }
}
