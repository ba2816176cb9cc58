import LinuxSystem
import Synchronization

/// Carries an outcome between threads through copyable containers.
final class OutcomeBox: Sendable {
  private let outcome: Mutex<CallOutcome?>

  init(_ outcome: consuming CallOutcome) { self.outcome = Mutex(consume outcome) }

  /// To be called once.
  func take() -> CallOutcome {
    guard let outcome = outcome.withLock({ $0.take() }) else { preconditionFailure("an outcome is taken once") }
    return outcome
  }
}

/// A call that nobody waits for in the kernel. It keeps its wire until it has ended, so that it ends whatever becomes
/// of the right.
///
/// Several may want to end it at the same moment (the reader of the reply, the deadline, a cancelled task); the first
/// one does, the others find it over.
final class AsyncCall: ReactorClient, ReactorTimer {
  private struct State: ~Copyable {
    var sink: (@Sendable (OutcomeBox) -> Void)?
    /// Nil before the call has begun.
    var number: UInt64?
    var isCancelled = false
    /// The packet that took the request along.
    var packet: UInt64?
    var timer: UInt64?
    /// Where the reply will come from when the reply right moved to another process.
    var once: OnceEnd?
    var onceKey: UInt64?
  }

  let end: HolderEnd
  let reactor: Reactor
  private let state: Mutex<State>

  init(_ end: HolderEnd, _ reactor: Reactor, sink: @escaping @Sendable (OutcomeBox) -> Void) {
    self.end = end
    self.reactor = reactor
    state = Mutex(State(sink: sink))
  }

  // MARK: Beginning

  /// False when it was cancelled before.
  func begin(_ number: UInt64, until deadline: Deadline) -> Bool {
    let mayBegin = state.withLock { state in
      if state.isCancelled { return false }
      state.number = number
      return true
    }
    guard mayBegin else { return false }
    if deadline.isNever { return true }
    let timer = reactor.schedule(self, at: deadline)
    let isOver = state.withLock { state in
      state.timer = timer
      return state.sink == nil
    }
    if isOver { reactor.cancel(timer: timer) }
    return true
  }

  var packet: UInt64? { state.withLock { $0.packet } }

  func hasLeft(in packet: UInt64) { state.withLock { $0.packet = packet } }

  // MARK: Ending

  /// False when the call is over already; the outcome is destroyed then.
  @discardableResult
  func complete(_ outcome: consuming CallOutcome) -> Bool {
    var onceKey: UInt64?
    var once: OnceEnd?
    var timer: UInt64?
    let sink = state.withLock { state in
      (once, onceKey, timer) = (state.once, state.onceKey, state.timer)
      (state.once, state.onceKey, state.timer) = (nil, nil, nil)
      defer { state.sink = nil }
      return state.sink
    }
    if let once, let onceKey { reactor.remove(onceKey, once.socket.descriptor.number) }
    if let timer { reactor.cancel(timer: timer) }
    guard let sink else { return false }
    sink(OutcomeBox(outcome))
    return true
  }

  func complete(_ ending: CallEnding) {
    switch ending {
    case .reply(let box):
      guard let message = box.take() else { preconditionFailure("a reply is taken once") }
      if let packet = state.withLock({ $0.packet }) { end.settle(through: packet) }
      if !complete(.reply(message)) { end.calls.withLock { $0.countLateReply() } }
    case .dropped: complete(.failed(.replyDropped))
    case .dead: complete(.failed(.deadName))
    case .lost: complete(.failed(.descriptorShortage))
    case .moved(let once): wait(for: once)
    }
  }

  func cancel() {
    let number = state.withLock { state in
      state.isCancelled = true
      return state.number
    }
    if let number { end.giveUp(self, number, .cancelled) }
  }

  func deadlinePassed() {
    if let number = state.withLock({ $0.number }) { end.giveUp(self, number, .timedOut) }
  }

  // MARK: A reply from another process

  private func wait(for once: OnceEnd) {
    let descriptor = once.socket.descriptor.number
    guard let key = try? reactor.add(self, descriptor, isKept: true) else {
      complete(.failed(.descriptorShortage))
      return
    }
    let isOver = state.withLock { state in
      if state.sink == nil { return true }
      (state.once, state.onceKey) = (once, key)
      return false
    }
    if isOver { reactor.remove(key, descriptor) } else { armOnce() }
  }

  /// Under the lock, because `complete` ends the watch.
  private func armOnce() {
    state.withLock { state in
      guard let once = state.once, let key = state.onceKey else { return }
      reactor.arm(key, once.socket.descriptor.number, .readable)
    }
  }

  func descriptorIsReady(_ key: UInt64) {
    guard let once = state.withLock({ $0.once }) else { return }
    switch once.awaitMessage(until: Deadline(after: .zero)) {
    case .failed(.timedOut): armOnce()
    case let outcome: complete(outcome)
    }
  }
}
