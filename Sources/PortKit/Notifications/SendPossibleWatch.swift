import LinuxSystem
import Synchronization

/// Those who want to know when one right may send again, told by the reactor.
final class SendPossibleWatch: ReactorClient {
  private struct Request: Sendable {
    let number: DeadNameRequest
    let target: WeakMailbox
  }

  private weak let end: HolderEnd?
  private let watch: RoomWatch
  private let reactor: Reactor
  private let key = Mutex<UInt64?>(nil)
  private struct Requests {
    var waiting: [Request] = []
    /// Ports that were to be told may be gone: they are looked for when there are so many.
    var mostBeforeLook = 16

    mutating func add(_ request: Request) {
      waiting.append(request)
      if waiting.count < mostBeforeLook { return }
      waiting.removeAll { $0.target.object == nil }
      mostBeforeLook = max(16, 2 * waiting.count)
    }
  }
  private let requests = Mutex(Requests())
  var count: Int { requests.withLock { $0.waiting.count } }

  /// One descriptor.
  init(_ end: HolderEnd) throws(PortError) {
    self.end = end
    reactor = try Reactor.shared()
    let number = end.socket.descriptor.number
    watch = try translatingErrno { () throws(Errno) in try RoomWatch(number) }
    let key = try translatingErrno { () throws(Errno) in
      try reactor.add(self, watch.descriptor, isKept: false)
    }
    self.key.withLock { $0 = key }
  }

  func add(_ number: DeadNameRequest, _ target: Mailbox) {
    requests.withLock { $0.add(Request(number: number, target: WeakMailbox(target))) }
    look()
  }

  func descriptorIsReady(_ key: UInt64) { look() }

  /// Something may have changed that the kernel gives no sign of.
  func poke() { watch.poke() }

  /// The right goes.
  func close() {
    if let key = key.withLock({ $0.take() }) { reactor.remove(key, watch.descriptor) }
    tell { .portDeleted($0) }
  }

  private func look() {
    guard let end else { return }
    // Signs that come from here on are seen when the watch is armed.
    _ = try? watch.wait(until: Deadline(after: .zero))
    end.readNews()
    if end.isDeadName { return tell { .deadName($0) } }
    if end.mayQueueOne { return tell { .sendPossible($0) } }
    key.withLock { key in
      if let key, requests.withLock({ !$0.waiting.isEmpty }) { reactor.arm(key, watch.descriptor, .readable) }
    }
  }

  /// Each request gives one notification.
  private func tell(_ notice: (DeadNameRequest) -> PortNotification) {
    let all = requests.withLock { list in
      defer { list.waiting.removeAll() }
      return list.waiting
    }
    for request in all { request.target.object?.post(notice(request.number)) }
  }
}
