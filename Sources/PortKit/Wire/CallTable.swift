/// How a call ended, as seen by the thread that read it.
enum CallEnding: Sendable {
  case reply(MessageBox)
  case dropped
  case dead
  /// The reply comes on a wire that this process had no descriptor for.
  case lost
  /// The reply right moved to another process: from now on only that wire can answer.
  case moved(OnceEnd)
}

/// The calls of one wire that wait for their end. Pure bookkeeping: who may read the socket, whose reply came.
///
/// One of the waiting threads reads for all; when it has its own reply it hands the reading on. While asynchronous
/// calls are out and no thread reads, the reactor does. A number is given out
/// once in the wire's life. A call that was given up stays known until its late reply or its drop has come, because
/// until then the wire must not get another holder.
struct CallTable: ~Copyable {
  private struct Pending {
    let number: UInt64
    /// Nil for a thread that waits.
    let call: AsyncCall?
    var ending: CallEnding?
  }

  private struct GivenUp {
    let number: UInt64
    /// Nil where it is not known.
    let packet: UInt64?
  }

  private(set) var nextNumber: UInt64
  private var pending: [Pending] = []
  private var givenUp: [GivenUp] = []
  /// Requests in packets before this one were taken by an owner that died.
  private var lostBefore: UInt64?
  private(set) var isReading = false
  private(set) var isDead = false
  private(set) var asyncCalls = 0
  /// Replies that came after their caller had gone.
  private(set) var lateReplies = 0

  init(nextNumber: UInt64) { self.nextNumber = nextNumber }

  var mayStillBeAnswered: Bool { !pending.isEmpty || !givenUp.isEmpty }
  var isFull: Bool { pending.count + givenUp.count >= Limits.callsPerWire }

  mutating func begin(_ call: AsyncCall? = nil) -> UInt64? {
    if isFull { return nil }
    let number = nextNumber
    nextNumber &+= 1
    pending.append(Pending(number: number, call: call))
    if call != nil { asyncCalls += 1 }
    return number
  }

  enum Role {
    case ended(CallEnding)
    case read
    case wait
  }

  /// What the thread of this call, whose request left in this packet, does next.
  mutating func nextRole(of number: UInt64, in packet: UInt64) -> Role {
    if let ending = takeEnding(of: number) { return .ended(ending) }
    if isLost(packet) {
      finish(number)
      return .ended(.dropped)
    }
    if isDead {
      finish(number)
      return .ended(.dead)
    }
    if isReading { return .wait }
    isReading = true
    return .read
  }

  /// While true, the thread of this call has nothing to do.
  func mustWait(_ number: UInt64, in packet: UInt64) -> Bool {
    isReading && !isDead && !isLost(packet) && pending.contains { $0.number == number && $0.ending == nil }
  }

  mutating func stopReading() { isReading = false }

  /// Nobody else may read: for draining late replies when no thread waits.
  mutating func startReading() -> Bool {
    if isReading || isDead { return false }
    isReading = true
    return true
  }

  enum Settlement {
    /// Filed for a thread that waits.
    case filed
    /// No longer in the table: whoever read it completes the call.
    case ended(AsyncCall)
    /// Nobody waits for it any more, or ever did.
    case late
  }

  /// Files the end of somebody's call.
  mutating func settle(_ number: UInt64, _ ending: CallEnding) -> Settlement {
    if let index = pending.firstIndex(where: { $0.number == number && $0.ending == nil }) {
      if let call = pending[index].call {
        remove(at: index)
        return .ended(call)
      }
      pending[index].ending = ending
      return .filed
    }
    if let index = givenUp.firstIndex(where: { $0.number == number }) { givenUp.remove(at: index) }
    lateReplies += 1
    return .late
  }

  /// The call has its end, or was never sent. False when it had left the table before.
  @discardableResult
  mutating func finish(_ number: UInt64) -> Bool {
    guard let index = pending.firstIndex(where: { $0.number == number }) else { return false }
    remove(at: index)
    return true
  }

  /// The caller no longer waits. Returns the end that came in the meantime.
  mutating func giveUp(_ number: UInt64, in packet: UInt64?) -> CallEnding? {
    if let ending = takeEnding(of: number) { return ending }
    if finish(number), !isDead, !isLost(packet) {
      givenUp.append(GivenUp(number: number, packet: packet))
    }
    return nil
  }

  /// An owner died that had taken all packets before this one. Returns the asynchronous calls that this ends; threads
  /// see it by themselves.
  mutating func noteOwnersDeath(before packet: UInt64) -> [AsyncCall] {
    lostBefore = packet
    for index in givenUp.indices.reversed() where isLost(givenUp[index].packet) { givenUp.remove(at: index) }
    var ended: [AsyncCall] = []
    for index in pending.indices.reversed() {
      guard let call = pending[index].call, isLost(call.packet) else { continue }
      ended.append(call)
      remove(at: index)
    }
    return ended
  }

  private func isLost(_ packet: UInt64?) -> Bool {
    guard let lostBefore, let packet else { return false }
    return packet &- lostBefore >= 1 << 63
  }

  /// A reply that was read for a call whose caller went at the same moment.
  mutating func countLateReply() { lateReplies += 1 }

  /// Nothing more can come. Returns the asynchronous calls that this ends; threads see it by themselves.
  mutating func die() -> [AsyncCall] {
    isDead = true
    givenUp.removeAll()
    let calls = pending.compactMap(\.call)
    pending.removeAll { $0.call != nil }
    asyncCalls = 0
    return calls
  }

  private mutating func takeEnding(of number: UInt64) -> CallEnding? {
    guard let index = pending.firstIndex(where: { $0.number == number }), let ending = pending[index].ending else {
      return nil
    }
    remove(at: index)
    return ending
  }

  private mutating func remove(at index: Int) {
    let last = pending.count - 1
    if index != last { pending.swapAt(index, last) }
    if pending.removeLast().call != nil { asyncCalls -= 1 }
  }
}
