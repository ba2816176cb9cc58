import LinuxSystem

extension MailboxState {
  // MARK: Notices

  mutating func post(_ notice: PortNotification) {
    if isClosed { return }
    notices.append(notice)
  }

  mutating func watch(_ descriptor: CInt, _ request: DeadNameRequest) throws(Errno) {
    if watches.join(descriptor, request) { return }
    let key = Self.watchFlag | request.number
    try shared.poller.add(descriptor, [.peerClosed, .oneShot], key: key)
    watches.insert(descriptor, request, key: key)
  }

  /// False when it fired already, or was never armed.
  mutating func unwatch(_ descriptor: CInt, _ request: DeadNameRequest) -> Bool {
    let (wasArmed, isLast) = watches.leave(descriptor, request)
    // Not the last one: the others go on. Fired already: the kernel may know this number as another watch by now.
    if isLast { shared.poller.remove(descriptor) }
    return wasArmed
  }

  // MARK: No senders

  /// A notice for this very port is due.
  var noSendersIsDue: Bool {
    guard let armed = noSenders, !armed.isForOtherPort else { return false }
    return haveNoSenders(armed.request.sync)
  }

  private func haveNoSenders(_ sync: Int) -> Bool {
    wires.senders == 0 && sync <= makeSendCount && (hadSenders || sync == 0)
  }

  mutating func takeNoSenders() -> Message {
    noSenders = nil
    return Message(.noSenders(makeSendCount: makeSendCount))
  }

  /// A notice for another port is sent as soon as it is due, whoever found the last wire's end.
  mutating func sendNoSenders() {
    guard !isClosed, let armed = noSenders, armed.isForOtherPort, haveNoSenders(armed.request.sync) else { return }
    noSenders = nil
    guard let target = armed.target else { return }
    errands.append(.endLook(target, at: port, shared))
    errands.append(.post(target, .noSenders(makeSendCount: makeSendCount)))
  }

  /// What is due now is told, though a new right or request may change that.
  mutating func fixNoSenders() throws(Errno) {
    if noSenders == nil { return }
    try poll()
    sendNoSenders()
    guard noSendersIsDue && order.isEmpty else { return }
    noSenders = nil
    post(.noSenders(makeSendCount: makeSendCount))
  }

  /// The port goes before it has no senders. Another port that waits for that is told of it, as with Mach, where the
  /// request holds a send-once right.
  mutating func loseNoSenders() {
    if let target = noSenders?.target {
      errands.append(.endLook(target, at: port, shared))
      errands.append(.post(target, .sendOnce))
    }
    noSenders = nil
  }

  mutating func replaceNoSenders(by new: ArmedNoSenders?) -> NoSendersRequest? {
    let earlier = noSenders
    noSenders = new
    if let earlier, let target = earlier.target { errands.append(.endLook(target, at: port, shared)) }
    return earlier?.request
  }
}
