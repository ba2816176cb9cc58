import TestSupport

/// What Mach ports promise, without a kernel: a history of commands goes through this and through real processes, and
/// both must come to the same.
struct PortModel {
  enum Place: Hashable {
    case actor(Int)
    /// In a message that nobody has received.
    case message(UInt32)
    case gone
  }

  enum Ending {
    case deadName, portDeleted
  }

  struct Port {
    var place: Place
    /// How often it moved.
    var generation = 0
    var limit = 5
    var made = 0
    /// The make-send count from which on the armed request fires.
    var armed: Int?
    /// The armed request may have had its notice already: one came that may have been an earlier request's.
    var mayBeOver = false
    /// Make-send counts of notices that may have been made when the owner looked, before they were received: for the
    /// armed request, and for each one before it.
    var early: Set<Int> = []
    var former: [Set<Int>] = []
    var queue: [Item] = []
    /// Word of send-once rights that were destroyed.
    var lostOnces = 0
    /// Requests that have ended, with the notices that may come of each: exactly one does.
    var ended: [UInt32: Set<Ending>] = [:]

    var isAlive: Bool { place != .gone }
  }

  struct Right {
    let port: UInt32
    /// Who made it.
    var maker: Int
    var place: Place
    /// What its holder may believe the queue limit to be. The owner tells it; of a copy it knows once that has come.
    var limits: Set<Int>
    var isKnown = true
    /// Packets that its holders sent. A move carries the account of five one by one, of the others as one.
    var packets = 0
    /// The account counts what was read until all is.
    var isLumped = false
    /// Messages in the queue that came on it.
    var unread = 0
    /// The owner looked while some were there, and may have one of them in hand.
    var mayBeInHand = false
    /// Copies made since the owner had read all, and since it last looked.
    var copies = 0
    var unseenCopies = 0
    var calls: Set<UInt32> = []
    /// Dead-name requests, with the port that is told.
    var requests: [UInt32: UInt32] = [:]
  }

  struct Once {
    enum Target: Hashable {
      case port(UInt32)
      case call(UInt32)
    }

    let target: Target
    var place: Place
    /// A wire of its own: always for a port, for a call since it left the callee's hands or its port moved or died.
    var isWire: Bool
    /// The port's end of the caller's wire, while the right that came with the call has not been moved.
    var end: End?
  }

  /// It stays open as long as a reply right refers to it, in each process that the port was in.
  struct End: Hashable {
    let right: UInt32
    /// The port's when the call was received.
    var generation = 0
  }

  struct Call {
    let right: UInt32
    let actor: Int
    var isCallerAlive = true
    /// The outcomes that are right; nil while it is out.
    var ending: Set<HistoryResult>?
  }

  struct Item: Hashable {
    /// Zero: a copy under way.
    let message: UInt32
    /// Zero: a send-once right.
    let right: UInt32
    let actor: Int
    let epoch: Int
  }

  struct Letter {
    let rights: [HistoryCommand.Attachment]
    /// The send-once right for the answer, or 0.
    let reply: UInt32
  }

  var ports: [UInt32: Port] = [:]
  var rights: [UInt32: Right] = [:]
  var onces: [UInt32: Once] = [:]
  var calls: [UInt32: Call] = [:]
  var letters: [UInt32: Letter] = [:]
  /// Steps of one epoch that come from different actors have no order among them.
  var epoch = 0
  /// All actors work: any port may be looked at any time.
  var isBusy = false {
    didSet {
      guard oldValue && !isBusy else { return }
      for (handle, right) in rights { rights[handle]?.mayBeInHand = right.unread > 0 }
      settleDoubts()
    }
  }
  /// Rights that were made while others may have dropped the last ones.
  var doubts: [Doubt] = []

  /// The owner does something with its port, and takes a packet of each right in hand where it has to know the oldest.
  mutating func look(at port: UInt32) {
    if isNoSendersDue(port), let count = ports[port]?.made { ports[port]?.early.insert(count) }
    for (handle, right) in rights where right.port == port { rights[handle]?.mayBeInHand = right.unread > 0 }
  }

  // MARK: Questions

  func isAlive(_ port: UInt32) -> Bool { ports[port]?.isAlive ?? false }

  /// Rights wherever they are, those in messages among them.
  func senders(of port: UInt32) -> Int { rights.values.count { $0.port == port && $0.place != .gone } }

  func isNoSendersDue(_ handle: UInt32) -> Bool {
    guard let port = ports[handle], let sync = port.armed else { return false }
    return sync <= port.made && senders(of: handle) == 0 && !port.queue.contains { $0.right != 0 && $0.message != 0 }
  }

  /// How a send on a right may end.
  func outcomes(ofSendOn handle: UInt32) -> Set<HistoryResult> {
    guard let right = rights[handle], isAlive(right.port) else { return [.deadName] }
    var outcomes: Set<HistoryResult> = []
    for limit in right.limits {
      if right.unread < limit || (right.mayBeInHand || isBusy) && right.unread == limit { outcomes.insert(.done) }
      if right.unread >= limit || right.isLumped { outcomes.insert(.timedOut) }
    }
    return outcomes
  }

  /// Eight may be under way. Credit comes back in fours, so up to three may be held back.
  func outcomes(ofCopyOf handle: UInt32) -> Set<HistoryResult> {
    guard let right = rights[handle] else { return [] }
    // Credit that is used up is asked for first.
    if !isAlive(right.port) { return right.copies < 5 ? [.deadName] : [.deadName, .timedOut] }
    if right.unseenCopies >= 8 { return [.timedOut] }
    return right.copies < 5 ? [.done] : [.done, .timedOut]
  }
}
