/// The notices that a port has in hand, the oldest first, and how many there are of the kinds that travel. Pure.
struct NoticeQueue {
  private var notices = Fifo<PortNotification>()
  private(set) var sendOnceCount = 0
  private var noSendersCount = 0

  var isEmpty: Bool { notices.isEmpty }
  var hasNoSenders: Bool { noSendersCount > 0 }

  mutating func append(_ notice: PortNotification) {
    notices.append(notice)
    count(notice, 1)
  }

  mutating func popFirst() -> PortNotification? {
    guard let first = notices.popFirst() else { return nil }
    count(first, -1)
    return first
  }

  mutating func removeAll() { self = NoticeQueue() }

  private mutating func count(_ notice: PortNotification, _ change: Int) {
    if notice == .sendOnce { sendOnceCount += change }
    if notice.isNoSenders { noSendersCount += change }
  }
}
