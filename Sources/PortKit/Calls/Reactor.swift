import LinuxSystem
import Synchronization

/// What the reactor tells its clients, on its own thread: they must not wait there.
protocol ReactorClient: AnyObject, Sendable {
  /// The watch has fired and is disarmed.
  func descriptorIsReady(_ key: UInt64)
}

/// Somebody who gave the reactor a deadline.
protocol ReactorTimer: AnyObject, Sendable {
  func deadlinePassed()
}

/// The one thread of the process that waits for everything that is asynchronous: replies, room in a wire, messages for
/// tasks, deadlines. It starts with the first of these. Two descriptors; no wake-ups while nothing is due.
///
/// Watches fire once and are armed again by their clients, so a client that another thread serves in the meantime costs
/// nothing. Arming looks at the descriptor's state, so nothing is missed in between. A timerfd keeps the deadlines:
/// another thread can set it without waking this one.
final class Reactor: Sendable {
  private struct Watch {
    weak var client: (any ReactorClient)?
    /// Set for a client that nobody else keeps.
    let kept: (any ReactorClient)?
  }

  private struct State: ~Copyable {
    var watches: [UInt64: Watch] = [:]
    var deadlines = DeadlineHeap()
    var timers: [UInt64: any ReactorTimer] = [:]
    var armed = Instant.distantFuture
    /// For watches and timers; 0 is the timerfd's. Never used twice: a stale event finds nothing.
    var nextKey: UInt64 = 1

    mutating func takeKey() -> UInt64 {
      defer { nextKey += 1 }
      return nextKey
    }
  }

  private let poller: Poller
  private let timer: TimerDescriptor
  private let state = Mutex(State())

  private static let instance = Mutex<Reactor?>(nil)
  private static let timerKey: UInt64 = 0

  /// Throws when the process has no descriptors or no thread left for it; the next call tries again.
  static func shared() throws(PortError) -> Reactor {
    // Neither its thread nor its locks are here.
    if ProcessMark.isForkedChild { throw .system("asynchronous calls need exec after fork") }
    return try instance.withLock { (instance) throws(PortError) -> Reactor in
      if let instance { return instance }
      let new = try translatingErrno { () throws(Errno) -> Reactor in try Reactor() }
      do { try WorkerThread.detached { new.run() } } catch { throw .threadShortage }
      instance = new
      return new
    }
  }

  private init() throws(Errno) {
    poller = try Poller()
    timer = try TimerDescriptor()
    try poller.add(timer.descriptor.number, .readable, key: Self.timerKey)
  }

  private func run() -> Never {
    var events = ReadyEvents()
    while true {
      do {
        try poller.wait(into: &events, until: Deadline(.distantFuture))
      } catch {
        preconditionFailure("the reactor cannot wait: \(error)")
      }
      for index in 0..<events.count {
        let key = events.key(index)
        if key == Self.timerKey { fireTimers() } else { client(of: key)?.descriptorIsReady(key) }
      }
    }
  }

  // MARK: Watches

  /// A watch that is not armed yet.
  ///
  /// - Parameter isKept: keeps the client until the watch is removed.
  func add(_ client: any ReactorClient, _ descriptor: CInt, isKept: Bool) throws(Errno) -> UInt64 {
    let key = state.withLock { state in
      let key = state.takeKey()
      state.watches[key] = Watch(client: client, kept: isKept ? client : nil)
      return key
    }
    do {
      // With one-shot and no wish the kernel reports hang-ups only when the watch is armed.
      try poller.add(descriptor, [.oneShot, .edgeTriggered], key: key)
    } catch {
      state.withLock { _ = $0.watches.removeValue(forKey: key) }
      throw error
    }
    return key
  }

  func arm(_ key: UInt64, _ descriptor: CInt, _ wanted: Readiness) {
    do {
      try poller.modify(descriptor, wanted.union(.oneShot), key: key)
    } catch {
      preconditionFailure("a watch cannot be armed: \(error)")
    }
  }

  /// To be called before the descriptor is closed.
  func remove(_ key: UInt64, _ descriptor: CInt) {
    poller.remove(descriptor)
    let watch = state.withLock { $0.watches.removeValue(forKey: key) }
    _ = consume watch
  }

  private func client(of key: UInt64) -> (any ReactorClient)? { state.withLock { $0.watches[key]?.client } }

  // MARK: Deadlines

  /// Keeps the timer until it has fired or is cancelled.
  func schedule(_ client: any ReactorTimer, at deadline: Deadline) -> UInt64 {
    state.withLock { state in
      let key = state.takeKey()
      state.timers[key] = client
      state.deadlines.insert(key, due: deadline.instant)
      if deadline.instant < state.armed { set(deadline.instant, &state) }
      return key
    }
  }

  func cancel(timer key: UInt64) {
    let timer = state.withLock { state in
      state.deadlines.remove(key)
      // The last one: nothing may wake the thread for it later.
      if state.deadlines.isEmpty && state.armed != .distantFuture { set(.distantFuture, &state) }
      return state.timers.removeValue(forKey: key)
    }
    _ = consume timer
  }

  private func fireTimers() {
    while let client = takeDueTimer() { client.deadlinePassed() }
  }

  /// Sets the clock for the next one when none is due.
  private func takeDueTimer() -> (any ReactorTimer)? {
    state.withLock { state in
      if let key = state.deadlines.popDue(by: .now) { return state.timers.removeValue(forKey: key) }
      set(state.deadlines.earliest() ?? .distantFuture, &state)
      return nil
    }
  }

  private func set(_ instant: Instant, _ state: inout State) {
    state.armed = instant
    timer.set(instant)
  }
}
