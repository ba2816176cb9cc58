import LinuxSystem

extension SendRight {
  /// Sends a request and waits for its reply without holding a thread, not even while the wire has no room.
  ///
  /// It always ends, as ``call(_:timeout:)`` does, and with `cancelled` when its task is: a request that has not left
  /// comes back whole; the reply to one that has is dropped when it comes (see ``lateReplies``). The call keeps its
  /// wire, so it ends whatever becomes of the right. At most ``Limits/callsPerWire`` calls may be out on one right.
  ///
  /// It is not named `call`, because Swift would pick one of the two by where the expression stands, and code that
  /// moves into a task would no longer mean what it did.
  ///
  /// - Parameter timeout: for request and reply together; nil waits as long as the port lives.
  public borrowing func outcome(of message: consuming Message, timeout: Duration? = nil) async -> CallOutcome {
    let end = self.end
    if !end.mark.isCurrent { return .returned(message, .deadName) }
    let deadline = Deadline(after: timeout)
    let reactor: Reactor
    let wire: AsyncWire
    do {
      reactor = try Reactor.shared()
      wire = try end.asyncWire(reactor)
    } catch {
      return .returned(message, error)
    }
    let gate = OutcomeGate()
    let call = AsyncCall(end, reactor) { gate.open($0) }
    let request = MessageBox(message)
    let box = await withTaskCancellationHandler {
      if let request = request.take() { end.start(call, wire, request, until: deadline) }
      return await gate.wait()
    } onCancel: {
      call.cancel()
    }
    return box.take()
  }

  /// Sends a request and goes on; `onEnd` gets the outcome, exactly once, also when the right is gone by then. A right
  /// that is dropped in it closes a moment later: the library's thread lets go of it last.
  ///
  /// It runs on a thread of the library, never on the calling one before this returns; only `threadShortage` is told
  /// there, when the system gives no thread at all. Callbacks of one right come one
  /// at a time, in the order of the ends. One may wait, call on any right, its own too, and destroy it; it holds up the
  /// callbacks of its own right only, as long as fewer than ``Limits/callbackThreads`` rights have one that waits.
  ///
  /// - Parameter timeout: for request and reply together; nil waits as long as the port lives.
  public borrowing func call(
    _ message: consuming Message, timeout: Duration? = nil,
    onEnd: @escaping @Sendable (consuming CallOutcome) -> Void
  ) {
    let end = self.end
    let deadline = Deadline(after: timeout)
    do throws(PortError) {
      try end.checkProcess()
      let reactor = try Reactor.shared()
      let wire = try end.asyncWire(reactor)
      try CallbackThreads.prepare()
      let callbacks = wire.callbacks
      let call = AsyncCall(end, reactor) { box in callbacks.add { onEnd(box.take()) } }
      end.start(call, wire, message, until: deadline)
    } catch {
      let box = OutcomeBox(.returned(message, error))
      CallbackThreads.runAnyway { onEnd(box.take()) }
    }
  }

  /// Replies that came after their call had been given up, and were destroyed. They are read when others are, so the
  /// number may lag.
  public var lateReplies: Int { !end.mark.isCurrent ? 0 : end.calls.withLock { $0.lateReplies } }
}
