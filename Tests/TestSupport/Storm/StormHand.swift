import Glibc
import LinuxSystem
import PortKit
import Synchronization

/// A send right in somebody's hand.
final class HeldRight: Sendable {
  let name: StormName
  private let right: Mutex<SendRight?>

  init(_ name: StormName, _ right: consuming SendRight) {
    self.name = name
    self.right = Mutex(consume right)
  }

  func take() -> SendRight? { right.withLock { $0.take() } }
}

/// A send-once right in somebody's hand.
final class HeldOnce: Sendable {
  let number: UInt32
  private let right: Mutex<SendOnceRight?>

  init(_ number: UInt32, _ right: consuming SendOnceRight) {
    self.number = number
    self.right = Mutex(consume right)
  }

  func take() -> SendOnceRight? { right.withLock { $0.take() } }
}

/// What the two threads of an actor share.
final class StormHand: Sendable {
  private struct State {
    var rights: [HeldRight] = []
    var onces: [HeldOnce] = []
    var doors: [UInt32: RightBox] = [:]
    var dropped: [StormName] = []
    var given: [StormName] = []
    var isSettling = false
    var counts = StormCounts()
  }

  private static let mostRights = 40
  private let state = Mutex(State())
  private let events = Atomic<UInt32>(0)
  private let point = Atomic<UInt32>(0)
  private let killsItself = Atomic(false)
  private let lastID: Atomic<UInt64>
  private let way: SendRight

  init(_ way: consuming SendRight, tag: UInt32) {
    self.way = way
    lastID = Atomic(UInt64(tag) << 32)
  }

  /// A number that no other process gives out.
  func freshID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

  // MARK: The test

  func tell(_ message: consuming Message) { _ = way.send(message) }

  func fault(_ text: String) { tell(Message(id: StormMail.fault, body: Array(text.utf8))) }

  // MARK: Death

  func arm(_ order: StormOrder) {
    events.store(0, ordering: .relaxed)
    killsItself.store(order.killsItself, ordering: .relaxed)
    point.store(order.point, ordering: .releasing)
  }

  /// A message was seen or a step was done.
  func tick() {
    if events.add(1, ordering: .relaxed).newValue != point.load(ordering: .acquiring) { return }
    if killsItself.load(ordering: .relaxed) { kill(getpid(), SIGKILL) } else { tell(Message(id: StormMail.point)) }
  }

  // MARK: Peers

  func open(_ index: UInt32, _ door: consuming SendRight) {
    let box = RightBox(door)
    state.withLock { $0.doors[index] = box }
  }

  func anyDoor(_ random: inout SeededNumbers) -> RightBox? {
    let doors = state.withLock { $0.doors }
    return doors.sorted { $0.key < $1.key }.randomElement(using: &random)?.value
  }

  // MARK: Rights

  /// Takes a right in, or drops it when the round is ending.
  func keep(_ right: HeldRight) {
    let excess = state.withLock { state -> HeldRight? in
      state.rights.append(right)
      if !state.isSettling, state.rights.count <= Self.mostRights { return nil }
      let first = state.rights.removeFirst()
      state.dropped.append(first.name)
      return first
    }
    _ = excess?.take()
  }

  func keep(_ once: HeldOnce) {
    let excess = state.withLock { state -> HeldOnce? in
      state.onces.append(once)
      return state.isSettling || state.onces.count > Self.mostRights ? state.onces.removeFirst() : nil
    }
    _ = excess?.take()
  }

  func anyRight(_ random: inout SeededNumbers) -> HeldRight? {
    let number = random.next()
    return state.withLock { state in
      state.rights.isEmpty ? nil : state.rights.remove(at: Int(number % UInt64(state.rights.count)))
    }
  }

  func anyOnce(_ random: inout SeededNumbers) -> HeldOnce? {
    let number = random.next()
    return state.withLock { state in
      state.onces.isEmpty ? nil : state.onces.remove(at: Int(number % UInt64(state.onces.count)))
    }
  }

  func noteDropped(_ name: StormName) { state.withLock { $0.dropped.append(name) } }

  /// Somebody else may have it now.
  func noteGiven(_ cargo: StormCargo) {
    if case .right(let name) = cargo { state.withLock { $0.given.append(name) } }
  }

  func count(_ change: (inout StormCounts) -> Void) { state.withLock { change(&$0.counts) } }

  // MARK: The end of a round

  func settle() {
    let (rights, onces) = state.withLock { state -> ([HeldRight], [HeldOnce]) in
      state.isSettling = true
      defer { (state.rights, state.onces) = ([], []) }
      for right in state.rights { state.dropped.append(right.name) }
      return (state.rights, state.onces)
    }
    for right in rights { _ = right.take() }
    for once in onces { _ = once.take() }
  }

  /// What this round came to, and the beginning of the next one. Nobody dies between two rounds.
  func report(_ ports: [StormRecord]) -> StormReport {
    point.store(0, ordering: .releasing)
    return state.withLock { state in
      let report = StormReport(ports: ports, dropped: state.dropped, given: state.given, counts: state.counts)
      (state.dropped, state.given, state.counts) = ([], [], StormCounts())
      state.isSettling = false
      return report
    }
  }
}
