import Synchronization

/// An armed dead-name request, kept by the right that it watches. Does not keep the notified port alive.
struct DeadNameWatch: Sendable {
  private struct Target: Sendable {
    weak var mailbox: Mailbox?
  }

  let request: DeadNameRequest
  private let target: Target

  init(_ mailbox: Mailbox, _ request: DeadNameRequest) {
    target = Target(mailbox: mailbox)
    self.request = request
  }

  func cancel(_ descriptor: CInt) { target.mailbox?.cancelWatch(request, of: descriptor) }
}
