/// What one port has to do for another one, when its own lock is free.
enum Errand: Sendable {
  /// A wire of this port may have ended.
  case look(Mailbox)
  case post(Mailbox, PortNotification)
  case endLook(Mailbox, at: PortID, SharedPoller)

  func run() {
    switch self {
    case .look(let watched): watched.lookForNoSenders()
    case .post(let target, let notice): target.post(notice)
    case .endLook(let target, let port, let poller): target.endLook(at: port, poller)
    }
  }
}
