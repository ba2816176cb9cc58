import LinuxSystem

/// What a holder knows of its queue at the port, and who waits for room in it. Pure bookkeeping.
///
/// Threads and requests of asynchronous calls wait in one line, first come first served. The first of the line watches
/// the kernel for all; frames of threads that wait right behind another one may leave in its packet.
struct SendQueue: ~Copyable {
  /// The bytes of a whole frame, which its thread leaves alone while it waits.
  struct FrameBytes: Sendable {
    let buffer: PacketBuffer
    let range: Range<Int>
  }

  private struct Waiting {
    let ticket: UInt64
    let frame: FrameBytes?
    /// False for a request that the reactor sends.
    let isThread: Bool
  }

  enum Role: Equatable {
    case lead
    case follow
    /// Another thread's packet took it along.
    case sent(packet: UInt64)
  }

  /// What a thread that wants to copy the right does next.
  enum CopyRole: Equatable {
    case taken
    case refused
    case lead
    case follow
  }

  /// Messages that the port lets wait on this wire.
  var limit: Int
  var ledger = QueueLedger()
  private var lastLook = Instant(nanoseconds: 0)
  private var line: [Waiting] = []
  private var sent: [UInt64: UInt64] = [:]
  private var nextTicket: UInt64 = 0
  /// Of the packet before: the next one is mostly of the same size.
  private var lastCharge: (bytes: Int, charge: Int) = (-1, 0)

  /// Copies that may be sent before the port adopts one.
  private(set) var copyCredit = Limits.unadoptedCopies
  private var isAwaitingCredit = false
  private var nextSettlement = Limits.ledgerPackets

  init(limit: Int) { self.limit = limit }

  init(_ state: TravelState) {
    limit = state.queueLimit
    copyCredit = state.copyCredit
    ledger = QueueLedger(state.packets)
  }

  var isSomebodyWaiting: Bool { !line.isEmpty }
  var waiterCount: Int { line.count }
  /// The turn is that of a request for which no thread waits.
  var isReactorsTurn: Bool { line.first.map { !$0.isThread } ?? false }

  /// The port may have changed its limit. When nothing is unread there is room for one more unless the limit is 0, so
  /// calls in a row need not look each time, which would cost each of them a system call: that the limit was lowered to
  /// 0 escapes those that begin in the same tick of the kernel's clock as one that looked.
  mutating func mustLook(before kind: FrameKind, tick: @autoclosure () -> Instant = .lastTick) -> Bool {
    guard kind == .call, ledger.isEmpty, limit > 0 else { return true }
    let tick = tick()
    defer { lastLook = tick }
    return tick != lastLook
  }

  /// - Parameter messages: how many are to go at once; more than the limit never do.
  func hasRoom(for messages: Int) -> Bool { ledger.unread + messages <= limit }

  /// What the kernel charges for a packet of that size.
  mutating func charge(of bytes: Int) -> Int {
    if lastCharge.bytes != bytes { lastCharge = (bytes, PacketCharges.charge(of: bytes)) }
    return lastCharge.charge
  }

  /// - Parameter frame: nil for a message that cannot share a packet.
  mutating func join(_ frame: FrameBytes?, isThread: Bool = true) -> UInt64 {
    nextTicket += 1
    line.append(Waiting(ticket: nextTicket, frame: frame, isThread: isThread))
    return nextTicket
  }

  func mustFollow(_ ticket: UInt64) -> Bool { sent[ticket] == nil && line.first?.ticket != ticket }

  mutating func role(of ticket: UInt64) -> Role {
    if let packet = sent.removeValue(forKey: ticket) { return .sent(packet: packet) }
    return line.first?.ticket == ticket ? .lead : .follow
  }

  /// Those behind the first who may share its packet, as far as bytes and messages allow.
  func companions(bytes: Int, messages: Int) -> [FrameBytes] {
    var left = bytes
    var frames: [FrameBytes] = []
    for waiting in line.dropFirst() {
      guard frames.count < messages, let frame = waiting.frame, frame.range.count <= left else { break }
      left -= frame.range.count
      frames.append(frame)
    }
    return frames
  }

  /// The first in line and so many behind it left in one packet.
  mutating func leaveTogether(companions: Int, packet: UInt64) {
    for waiting in line[1..<(1 + companions)] { sent[waiting.ticket] = packet }
    line.removeFirst(1 + companions)
  }

  /// Nobody waits under this ticket any more. Returns the packet that it left in meanwhile.
  mutating func leave(_ ticket: UInt64) -> UInt64? {
    line.removeAll { $0.ticket == ticket }
    return sent.removeValue(forKey: ticket)
  }

  // MARK: Copies

  /// Notes a packet that no limit counts. Asks how many bytes are unread when there are many in the ledger, or a right
  /// that only copies would keep a note of each copy for ever.
  mutating func noteUncounted(bytes: Int, unreadBytes: () -> Int?) {
    ledger.append(QueueLedger.Packet(charge: charge(of: bytes), messages: 0))
    guard ledger.outstanding.count >= nextSettlement, let unread = unreadBytes() else { return }
    ledger.settle(unreadBytes: unread)
    nextSettlement = max(Limits.ledgerPackets, 2 * ledger.outstanding.count)
  }

  mutating func takeCopyCredit(mayWait: Bool) -> CopyRole {
    if copyCredit > 0 {
      copyCredit -= 1
      return .taken
    }
    if !mayWait { return .refused }
    if isAwaitingCredit { return .follow }
    isAwaitingCredit = true
    return .lead
  }

  var mustAwaitCredit: Bool { isAwaitingCredit && copyCredit == 0 }

  mutating func stopAwaitingCredit() { isAwaitingCredit = false }

  /// A port that gives more than it took back is not believed.
  mutating func addCopyCredit(_ count: UInt64) {
    copyCredit = min(Limits.unadoptedCopies, copyCredit + Int(clamping: min(count, 1 << 16)))
  }
}
