/// What one port has to do for others, when its own lock is free.
enum Errand: Sendable {
  /// A wire of this port may have ended.
  case look(Mailbox)
  case post(Mailbox, PortNotification)
  case endLook(Mailbox, at: PortID, SharedPoller)
  /// A task was served or turned away.
  case open(TaskGate)

  func run() {
    switch self {
    case .look(let watched): watched.lookForNoSenders()
    case .post(let target, let notice): target.post(notice)
    case .endLook(let target, let port, let poller): target.endLook(at: port, poller)
    case .open(let gate): gate.open()
    }
  }
}
