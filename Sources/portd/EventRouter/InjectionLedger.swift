import HIDKit

/// One injected event. Never used again.
struct InjectionID: RawRepresentable, Hashable, Comparable, Sendable {
  let rawValue: UInt64

  static func < (a: InjectionID, b: InjectionID) -> Bool { a.rawValue < b.rawValue }
}

/// Keeps account of injected events. Pure.
///
/// Each injected event ends exactly once – delivered, cancelled or missed, as ``InjectOutcome/summary`` says of it – when
/// the last of its deliveries has ended. At all times: injected = delivered + cancelled + missed + pending.
struct InjectionLedger {
  /// How one delivery of an injected event ended.
  enum Ending: Hashable, Sendable {
    /// Its client said so.
    case finished
    /// Its client was gone before.
    case clientGone
    /// Its client's queue had no room.
    case dropped
  }

  /// The injector is due an answer.
  struct Answer: Hashable, Sendable {
    let injection: InjectionID
    let injector: UInt64
    let outcome: InjectOutcome
  }

  struct Totals: Hashable, Sendable {
    var injected = 0
    var delivered = 0
    var cancelled = 0
    var missed = 0
  }

  private struct Entry {
    let injector: UInt64
    var open: Int
    var outcome = InjectOutcome()
    var isAnswerWanted = true
  }

  private(set) var totals = Totals()
  private var entries: [InjectionID: Entry] = [:]
  private var pendingByInjector: [UInt64: Int] = [:]
  private var nextID: UInt64 = 1

  var pendingCount: Int { entries.count }

  func hasRoom(for injector: UInt64) -> Bool {
    pendingByInjector[injector, default: 0] < BrokerLimits.pendingInjectionsPerInjector
  }

  /// An event was injected and gives `deliveries`; `orphaned` of its parts belong to a client that is gone. With neither
  /// it is missed. Without deliveries its answer is due at once.
  mutating func begin(
    by injector: UInt64, deliveries: Int, orphaned: Int = 0
  ) -> (injection: InjectionID, answer: Answer?) {
    precondition(deliveries >= 0 && hasRoom(for: injector), "injection has no place")
    let id = InjectionID(rawValue: nextID)
    nextID += 1
    totals.injected += 1
    pendingByInjector[injector, default: 0] += 1
    entries[id] = Entry(injector: injector, open: deliveries)
    entries[id]?.outcome.cancelled = UInt32(orphaned)
    if deliveries == 0 && orphaned == 0 { entries[id]?.outcome.missed = 1 }
    return (id, closeIfDone(id))
  }

  /// One delivery of the event has ended.
  /// - Returns: the answer, when it was the last one and the injector still wants it.
  mutating func settle(_ id: InjectionID, _ ending: Ending) -> Answer? {
    guard entries[id] != nil else {
      assertionFailure("injection \(id.rawValue) has ended before")
      return nil
    }
    entries[id]?.open -= 1
    switch ending {
    case .finished: entries[id]?.outcome.delivered += 1
    case .clientGone: entries[id]?.outcome.cancelled += 1
    case .dropped: entries[id]?.outcome.missed += 1
    }
    return closeIfDone(id)
  }

  /// Nobody waits for this injector's answers any more. Its events stay in the accounts until they end.
  mutating func injectorGone(_ injector: UInt64) {
    for (id, entry) in entries where entry.injector == injector { entries[id]?.isAnswerWanted = false }
  }

  private mutating func closeIfDone(_ id: InjectionID) -> Answer? {
    guard let entry = entries[id], entry.open == 0 else { return nil }
    entries[id] = nil
    pendingByInjector[entry.injector, default: 0] -= 1
    if pendingByInjector[entry.injector] == 0 { pendingByInjector[entry.injector] = nil }
    switch entry.outcome.summary {
    case .delivered: totals.delivered += 1
    case .cancelled: totals.cancelled += 1
    case .missed: totals.missed += 1
    }
    return entry.isAnswerWanted ? Answer(injection: id, injector: entry.injector, outcome: entry.outcome) : nil
  }

  /// What is wrong with the accounts; empty when they balance.
  func checkInvariants() -> [String] {
    var faults: [String] = []
    if totals.injected != totals.delivered + totals.cancelled + totals.missed + pendingCount {
      faults.append("accounts do not balance: \(totals), \(pendingCount) pending")
    }
    if pendingByInjector.values.reduce(0, +) != pendingCount { faults.append("injectors' counts differ") }
    if entries.values.contains(where: { $0.open <= 0 }) { faults.append("an ended injection is still here") }
    return faults
  }
}
