import HIDKit
import LinuxSystem

/// Flow control for one client. Pure: it says what to send now.
///
/// At most `BrokerLimits.batchesInFlight` batches are with the client; the rest waits here, in order. When too many wait,
/// nothing new may begin for this client and moves are dropped; ends are queued always, so that what began also ends.
/// A slow client loses moves and gestures, never its connection, and no other client notices.
struct ClientQueue {
  /// One delivery as it goes to the client.
  struct Batch: Hashable, Sendable {
    /// From 1, without gaps.
    let sequence: UInt64
    let events: [WindowEvent]
    /// When the broker got the events.
    let readAt: Instant
    /// The injected event that it comes from, if any.
    let injection: InjectionID?
  }

  enum Admission: Hashable, Sendable {
    /// To be sent now.
    case send(Batch)
    case waits
    /// Nothing but moves, and no room for them.
    case dropped
  }

  /// What an acknowledgement brings about.
  struct Progress: Hashable, Sendable {
    var finished: [InjectionID] = []
    var send: [Batch] = []
  }

  /// The client acknowledged what it was never sent.
  struct UnknownSequence: Error, Hashable, Sendable {
    let sequence: UInt64
    let lastSent: UInt64
  }

  private struct Waiting {
    let events: [WindowEvent]
    let readAt: Instant
    let injection: InjectionID?
  }

  private var lastSent: UInt64 = 0
  private var lastFinished: UInt64 = 0
  /// Of the batches in flight, oldest first; their sequence numbers follow `lastFinished`.
  private var inFlight: [InjectionID?] = []
  private var waiting: [Waiting] = []
  /// Moves that no room was found for.
  private(set) var droppedCount = 0

  var inFlightCount: Int { inFlight.count }
  var waitingCount: Int { waiting.count }

  /// Whether contacts and keys may begin for this client now.
  var admitsBeginnings: Bool { waiting.count < BrokerLimits.batchesWaiting }

  mutating func enqueue(_ delivery: Delivery, injection: InjectionID?, readAt: Instant) -> Admission {
    let item = Waiting(events: delivery.events, readAt: readAt, injection: injection)
    if inFlight.count < BrokerLimits.batchesInFlight {
      assert(waiting.isEmpty, "a batch waits without need")
      return .send(launch(item))
    }
    guard admitsBeginnings || !delivery.isDroppable else {
      droppedCount += 1
      return .dropped
    }
    waiting.append(item)
    return .waits
  }

  /// The client has finished everything up to `sequence`; a number that it said before changes nothing.
  mutating func finished(_ sequence: UInt64) throws(UnknownSequence) -> Progress {
    guard sequence <= lastSent else { throw UnknownSequence(sequence: sequence, lastSent: lastSent) }
    var progress = Progress()
    guard sequence > lastFinished else { return progress }
    let count = Int(sequence - lastFinished)
    progress.finished = inFlight.prefix(count).compactMap(\.self)
    inFlight.removeFirst(count)
    lastFinished = sequence
    let room = min(waiting.count, BrokerLimits.batchesInFlight - inFlight.count)
    for item in waiting.prefix(room) { progress.send.append(launch(item)) }
    waiting.removeFirst(room)
    return progress
  }

  /// The client is gone. Returns the injected events that it had not finished, oldest first.
  mutating func close() -> [InjectionID] {
    let lost = inFlight.compactMap(\.self) + waiting.compactMap(\.injection)
    (inFlight, waiting) = ([], [])
    lastFinished = lastSent
    return lost
  }

  private mutating func launch(_ item: Waiting) -> Batch {
    lastSent += 1
    inFlight.append(item.injection)
    return Batch(sequence: lastSent, events: item.events, readAt: item.readAt, injection: item.injection)
  }

  /// What is wrong with the queue; empty when it is well.
  func checkInvariants() -> [String] {
    var faults: [String] = []
    if UInt64(inFlight.count) != lastSent - lastFinished { faults.append("sequence numbers and batches differ") }
    if inFlight.count > BrokerLimits.batchesInFlight { faults.append("too many batches in flight") }
    if !waiting.isEmpty, inFlight.count < BrokerLimits.batchesInFlight { faults.append("a batch waits without need") }
    return faults
  }
}
