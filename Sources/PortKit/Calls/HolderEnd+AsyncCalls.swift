import LinuxSystem
import Synchronization

extension HolderEnd: ReactorClient {
  func asyncWire(_ reactor: Reactor) throws(PortError) -> AsyncWire {
    try async.withLock { (async) throws(PortError) -> AsyncWire in
      if let async { return async }
      let key = try translatingErrno { () throws(Errno) -> UInt64 in
        try reactor.add(self, socket.descriptor.number, isKept: false)
      }
      let wire = AsyncWire(reactor, key: key)
      async = wire
      return wire
    }
  }

  /// Begins a call whose end goes to the call's sink. Never waits.
  func start(_ call: AsyncCall, _ wire: AsyncWire, _ request: consuming Message, until deadline: Deadline) {
    var request: Message? = consume request
    // Reading may end other calls, so it comes before the lock.
    if calls.withLock({ $0.isFull }) { readWaitingReplies() }
    if queue.withLock({ $0.mustLook(before: .call) }) { readNews() }
    let refusal = wire.outbox.withLock { (outbox) -> PortError? in
      guard let number = calls.withLock({ $0.begin(call) }) else {
        return .tooManyCalls(limit: Limits.callsPerWire)
      }
      do throws(PortError) {
        guard call.begin(number, until: deadline) else { throw .cancelled }
        try leave(number, call, &request, &outbox)
        return nil
      } catch {
        calls.withLock { _ = $0.finish(number) }
        return error
      }
    }
    if let refusal {
      if let request = request.take() { call.complete(.returned(request, refusal)) }
      return
    }
    if calls.withLock({ $0.isDead }) { endAll() }
    armForReplies(wire)
    serveOutbox(wire)
  }

  /// Sends the request, or puts it in line where there is no room or others wait already.
  private func leave(
    _ number: UInt64, _ call: AsyncCall, _ request: inout Message?, _ outbox: inout [QueuedRequest]
  ) throws(PortError) {
    guard var message = request.take() else { preconditionFailure("a call begins with its request") }
    do throws(PortError) {
      let packet = try prepareNow(&message, number)
      if let packet, let place = try attemptNow(message, packet) { return call.hasLeft(in: place) }
      let ticket = queue.withLock { $0.join(nil, isThread: false) }
      outbox.append(QueuedRequest(call, number, ticket: ticket, message, packet))
    } catch {
      request = consume message
      throw error
    }
  }

  /// Nil when a right in the message must wait for its copy.
  private func prepareNow(_ message: inout Message, _ number: UInt64) throws(PortError) -> Message.Outgoing? {
    do throws(PortError) {
      return try message.prepare(for: .call, sequence: number, until: Deadline(after: .zero))
    } catch {
      if error == .timedOut { return nil }
      throw error
    }
  }

  /// The caller no longer waits: a request that never left goes back, the reply to another one will come late.
  func giveUp(_ call: AsyncCall, _ number: UInt64, _ error: PortError) {
    guard let wire = async.withLock({ $0 }) else { return }
    let unsent = wire.outbox.withLock { outbox -> QueuedRequest? in
      guard let index = outbox.firstIndex(where: { $0.call === call }) else {
        calls.withLock { _ = $0.giveUp(number, in: call.packet) }
        return nil
      }
      calls.withLock { _ = $0.finish(number) }
      leaveLine(outbox[index].ticket)
      return outbox.remove(at: index)
    }
    if let unsent { unsent.giveBack(error) } else { call.complete(.failed(error)) }
  }

  /// The wire is at its end: threads see it in the table, asynchronous calls are told.
  func endAll() {
    let ended = calls.withLock { $0.die() }
    if let wire = async.withLock({ $0 }) { giveBackAll(wire, .deadName) }
    for call in ended { call.complete(.failed(.deadName)) }
  }

  private func giveBackAll(_ wire: AsyncWire, _ error: PortError) {
    let unsent = wire.outbox.withLock { outbox in
      defer { outbox.removeAll() }
      for request in outbox {
        calls.withLock { _ = $0.finish(request.number) }
        leaveLine(request.ticket)
      }
      return outbox
    }
    for request in unsent { request.giveBack(error) }
  }

  // MARK: With the reactor

  func descriptorIsReady(_ key: UInt64) {
    guard let wire = async.withLock({ $0 }) else { return }
    if key == wire.key {
      wire.isArmed.withLock { $0 = false }
      // A thread that reads just now arms the watch when it stops.
      readWaitingReplies()
      armForReplies(wire)
    }
    serveOutbox(wire)
  }

  /// After every change that gives the reactor replies to wait for. While a thread reads, it is not woken for them.
  func armForReplies(_ wire: AsyncWire) {
    wire.isArmed.withLock { isArmed in
      guard !isArmed, calls.withLock({ $0.asyncCalls > 0 && !$0.isReading }) else { return }
      isArmed = true
      wire.reactor.arm(wire.key, socket.descriptor.number, .readable)
    }
  }

  func serveOutbox() {
    if let wire = async.withLock({ $0 }) { serveOutbox(wire) }
  }

  /// Sends what waits as far as there is room. What is left waits for the kernel's next sign.
  private func serveOutbox(_ wire: AsyncWire) {
    if wire.outbox.withLock({ $0.isEmpty }) { return }
    do throws(PortError) {
      let room = try room(of: wire)
      // Signs that come from here on are seen when the watch is armed.
      try translatingErrno { () throws(Errno) in _ = try room.watch.wait(until: Deadline(after: .zero)) }
      flush(wire)
      if !wire.outbox.withLock({ $0.isEmpty }) { wire.reactor.arm(room.key, room.watch.descriptor, .readable) }
    } catch {
      giveBackAll(wire, error)
    }
  }

  private func room(of wire: AsyncWire) throws(PortError) -> AsyncRoom {
    try translatingErrno { () throws(Errno) -> AsyncRoom in
      try wire.room.withLock { (room) throws(Errno) -> AsyncRoom in
        if let room { return room }
        let watch = try RoomWatch(socket.descriptor.number)
        let new = AsyncRoom(watch: watch, key: try wire.reactor.add(self, watch.descriptor, isKept: false))
        room = new
        return new
      }
    }
  }

  private func flush(_ wire: AsyncWire) {
    var refused: [(QueuedRequest, PortError)] = []
    wire.outbox.withLock { outbox in
      var left = 0
      while left < outbox.count {
        let request = outbox[left]
        do throws(PortError) {
          guard try request.attempt(on: self) else { break }
        } catch {
          calls.withLock { _ = $0.finish(request.number) }
          leaveLine(request.ticket)
          refused.append((request, error))
        }
        left += 1
      }
      outbox.removeFirst(left)
    }
    for (request, error) in refused { request.giveBack(error) }
  }
}
