import LinuxSystem
import Synchronization

extension Mailbox {
  func armNoSenders(sync: Int, owner: UInt64) throws(PortError) -> NoSendersRequest? {
    let armed = ArmedNoSenders(NoSendersRequest(target: id, sync: sync))
    return try withState(of: owner) { (state) throws(PortError) -> NoSendersRequest? in
      // What is due at once shows in no descriptor.
      try installBell(&state)
      try translatingErrno { () throws(Errno) in try state.fixNoSenders() }
      let earlier = state.replaceNoSenders(by: armed)
      try serveAfterPost(&state)
      return earlier
    }
  }

  func armNoSenders(
    sync: Int, owner: UInt64, target: Mailbox, targetsOwner: UInt64
  ) throws(PortError) -> NoSendersRequest? {
    if target === self { return try armNoSenders(sync: sync, owner: owner) }
    let armed = ArmedNoSenders(NoSendersRequest(target: target.id, sync: sync), target)
    try target.beginLook(at: self, owner: targetsOwner)
    do {
      let earlier = try withState(of: owner) { (state) throws(PortError) -> NoSendersRequest? in
        try installBell(&state)
        try translatingErrno { () throws(Errno) in try state.fixNoSenders() }
        return state.replaceNoSenders(by: armed)
      }
      lookForNoSenders()
      return earlier
    } catch {
      target.endLook(at: id, shared)
      throw error
    }
  }

  func cancelNoSenders(owner: UInt64) throws(PortError) -> NoSendersRequest? {
    try withState(of: owner) { (state) throws(PortError) -> NoSendersRequest? in
      try translatingErrno { () throws(Errno) in try state.fixNoSenders() }
      let earlier = state.replaceNoSenders(by: nil)
      try serveAfterPost(&state)
      return earlier
    }
  }

  /// From now on the end of a wire of `watched` is noticed by whoever looks at this port.
  private func beginLook(at watched: Mailbox, owner: UInt64) throws(PortError) {
    let key = Look.key(of: watched.id)
    try withState(of: owner) { (state) throws(PortError) in
      if state.looks[key] == nil {
        try installBell(&state)
        try translatingErrno { () throws(Errno) in
          // Mail that waits there is no news here.
          try shared.poller.add(watched.memberDescriptor, [.readable, .edgeTriggered], key: key)
        }
      }
      state.looks[key, default: Look(watched: WeakMailbox(watched), requests: 0)].requests += 1
    }
  }

  func endLook(at port: PortID, _ poller: SharedPoller) {
    if !mark.isCurrent { return }
    let key = Look.key(of: port)
    state.withLock { state in
      guard var look = state.looks[key] else { return }
      look.requests -= 1
      state.looks[key] = look.requests > 0 ? look : nil
      if look.requests == 0 { shared.poller.remove(poller.poller.descriptor.number) }
    }
  }

  /// Something happened to a port whose last sender is to be told elsewhere. An error is seen again by the owner.
  func lookForNoSenders() {
    try? withState(of: nil) { (state) throws(PortError) in
      if state.noSenders?.isForOtherPort ?? false { try lookAround(&state) }
    }
  }

  /// Takes in hand what is there, for nobody in particular.
  func lookAround(_ state: inout MailboxState) throws(PortError) {
    try translatingErrno { () throws(Errno) in try state.poll() }
    state.sendNoSenders()
    try serveAfterPost(&state)
  }

  /// A number for a notice that will be posted from outside.
  func expectNotice(owner: UInt64) throws(PortError) -> DeadNameRequest {
    try withState(of: owner) { (state) throws(PortError) in try installBell(&state) }
    return DeadNameRequest(number: Self.nextRequest.add(1, ordering: .relaxed).oldValue)
  }

  func watchForDeadName(_ descriptor: CInt, owner: UInt64) throws(PortError) -> DeadNameWatch {
    let number = Self.nextRequest.add(1, ordering: .relaxed).oldValue
    let request = DeadNameRequest(number: number)
    try withState(of: owner) { (state) throws(PortError) in
      // For the notices that no descriptor brings.
      try installBell(&state)
      try translatingErrno { () throws(Errno) in try state.watch(descriptor, request) }
    }
    return DeadNameWatch(self, request)
  }

  func isWatching(_ descriptor: CInt, for request: DeadNameRequest) -> Bool {
    mark.isCurrent && state.withLock { $0.watches.contains(descriptor, request) }
  }

  /// The right that was watched is gone before its port was.
  func endWatch(_ request: DeadNameRequest, of descriptor: CInt) {
    if !mark.isCurrent { return }
    let wasArmed = state.withLock { $0.unwatch(descriptor, request) }
    if wasArmed { post(.portDeleted(request)) }
  }

  /// A notice that comes from outside this port's poller.
  func post(_ notice: PortNotification) {
    // A port that is gone takes none.
    try? withState(of: nil) { (state) throws(PortError) in
      state.post(notice)
      try serveAfterPost(&state)
    }
  }

  func serveAfterPost(_ state: inout MailboxState) throws(PortError) {
    defer {
      state.settleBell(.stranger)
      self.state.notifyAll()
    }
    try translatingErrno { () throws(Errno) in try state.serveWaiters(lookAround: false) }
  }

  func installBell(_ state: inout MailboxState) throws(PortError) {
    try translatingErrno { () throws(Errno) in try state.bell.install(in: shared.poller) }
  }
}
