/// How a call ended, as seen by the thread that read it.
enum CallEnding: Sendable {
  case reply(MessageBox)
  case dropped
  case dead
  /// The reply right moved to another process: from now on only that wire can answer.
  case moved(OnceEnd)
}

/// The calls of one wire that wait for their end. Pure bookkeeping: who may read the socket, whose reply came.
///
/// One of the waiting threads reads for all; when it has its own reply it hands the reading on. A number is given out
/// once in the wire's life. A call that was given up stays known until its late reply or its drop has come, because
/// until then the wire must not get another holder.
struct CallTable: ~Copyable {
  private struct Pending {
    let number: UInt64
    var ending: CallEnding?
  }

  private(set) var nextNumber: UInt64
  private var pending: [Pending] = []
  private var givenUp: [UInt64] = []
  private(set) var isReading = false
  private(set) var isDead = false
  /// Replies that came after their caller had gone.
  private(set) var lateReplies = 0

  init(nextNumber: UInt64) { self.nextNumber = nextNumber }

  var mayStillBeAnswered: Bool { !pending.isEmpty || !givenUp.isEmpty }
  var isFull: Bool { pending.count + givenUp.count >= Limits.callsPerWire }
  var hasOthersWaiting: Bool { pending.count > 1 }

  mutating func begin() -> UInt64? {
    if isFull { return nil }
    let number = nextNumber
    nextNumber &+= 1
    pending.append(Pending(number: number))
    return number
  }

  enum Role {
    case ended(CallEnding)
    case read
    case wait
  }

  /// What the thread of this call does next.
  mutating func nextRole(of number: UInt64) -> Role {
    if let ending = takeEnding(of: number) { return .ended(ending) }
    if isDead {
      finish(number)
      return .ended(.dead)
    }
    if isReading { return .wait }
    isReading = true
    return .read
  }

  /// While true, the thread of this call has nothing to do.
  func mustWait(_ number: UInt64) -> Bool {
    isReading && !isDead && pending.contains { $0.number == number && $0.ending == nil }
  }

  mutating func stopReading() { isReading = false }

  /// Nobody else may read: for draining late replies when no thread waits.
  mutating func startReading() -> Bool {
    if isReading || isDead { return false }
    isReading = true
    return true
  }

  /// Files the end of somebody's call. False when nobody waits for it: it came late.
  mutating func settle(_ number: UInt64, _ ending: CallEnding) -> Bool {
    if let index = pending.firstIndex(where: { $0.number == number && $0.ending == nil }) {
      pending[index].ending = ending
      return true
    }
    if let index = givenUp.firstIndex(of: number) { givenUp.remove(at: index) }
    lateReplies += 1
    return false
  }

  /// The call has its end, or was never sent.
  mutating func finish(_ number: UInt64) { pending.removeAll { $0.number == number } }

  /// The caller no longer waits. Returns the end that came in the meantime.
  mutating func giveUp(_ number: UInt64) -> CallEnding? {
    if let ending = takeEnding(of: number) { return ending }
    finish(number)
    if !isDead { givenUp.append(number) }
    return nil
  }

  mutating func die() {
    isDead = true
    givenUp.removeAll()
  }

  private mutating func takeEnding(of number: UInt64) -> CallEnding? {
    guard let index = pending.firstIndex(where: { $0.number == number }), let ending = pending[index].ending else {
      return nil
    }
    pending.remove(at: index)
    return ending
  }
}
