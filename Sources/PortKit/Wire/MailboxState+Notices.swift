import LinuxSystem

extension MailboxState {
  // MARK: Notices

  mutating func post(_ notice: PortNotification) {
    if isClosed { return }
    notices.append(notice)
  }

  /// Makes the poller's descriptor readable for a notice that no descriptor of a wire brings. All others are found by a
  /// thread that looks at the poller, and are in hand then.
  mutating func ringBell() throws(Errno) {
    if bell == nil {
      let bell = try EventCounter()
      try shared.poller.add(bell.descriptor.number, .readable, key: Self.doorbellKey)
      self.bell = consume bell
    }
    bell?.ring()
  }

  mutating func watch(_ descriptor: CInt, _ request: DeadNameRequest) throws(Errno) {
    if watches.join(descriptor, request) { return }
    let key = Self.watchFlag | request.number
    try shared.poller.add(descriptor, [.peerClosed, .oneShot], key: key)
    watches.insert(descriptor, request, key: key)
  }

  mutating func unwatch(_ descriptor: CInt, _ request: DeadNameRequest) {
    // Not the last one: the others go on. Fired already: the kernel may know this number as another watch by now.
    if watches.leave(descriptor, request) { shared.poller.remove(descriptor) }
  }

  // MARK: No senders

  mutating func armNoSenders(sync: Int) throws(Errno) {
    noSendersSync = sync
    // Later it is a wire's end that wakes the poller; what is due now shows in no descriptor.
    if noSendersIsDue { try ringBell() }
  }

  var noSendersIsDue: Bool {
    guard let sync = noSendersSync else { return false }
    return wires.senders == 0 && sync <= makeSendCount && (hadSenders || sync == 0)
  }

  mutating func takeNoSenders() -> Message {
    noSendersSync = nil
    if notices.isEmpty { bell?.clear() }
    return Message(.noSenders(makeSendCount: makeSendCount))
  }
}
