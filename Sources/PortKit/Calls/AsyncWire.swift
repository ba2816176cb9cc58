import LinuxSystem
import Synchronization

/// A request that waits for room in its wire, or for a copy of a right in it. It stands in the line of the wire's
/// senders.
final class QueuedRequest: Sendable {
  private struct Content: ~Copyable {
    var message: Message?
    /// Nil while a right in the message waits for its copy.
    var packet: Message.Outgoing?
    var wait: CreditWait?
  }

  let call: AsyncCall
  let number: UInt64
  let ticket: UInt64
  private let content: Mutex<Content>

  init(
    _ call: AsyncCall, _ number: UInt64, ticket: UInt64, _ request: consuming Message, _ packet: Message.Outgoing?
  ) {
    (self.call, self.number, self.ticket) = (call, number, ticket)
    content = Mutex(Content(message: consume request, packet: packet))
  }

  /// False when there is still no room, or others come first.
  func attempt(on end: HolderEnd) throws(PortError) -> Bool {
    try content.withLock { (content) throws(PortError) -> Bool in
      guard var message = content.message.take() else { return true }
      do throws(PortError) {
        if content.packet == nil, end.isTurn(of: ticket) {
          content.packet = try prepare(&message, &content.wait, on: end)
        }
        guard let packet = content.packet else {
          content.message = consume message
          return false
        }
        let number = try end.attemptInTurn(ticket, message, packet)
        content.message = consume message
        if let number { call.hasLeft(in: number) }
        return number != nil
      } catch {
        content.message = consume message
        throw error
      }
    }
  }

  /// Nil when a right must wait for its copy; the outbox is served again when it may have it.
  private func prepare(
    _ message: inout Message, _ wait: inout CreditWait?, on end: HolderEnd
  ) throws(PortError) -> Message.Outgoing? {
    while true {
      if message.rightToCopy(where: { !$0.hasCopyCredit }) == nil {
        do throws(PortError) {
          let packet = try message.prepare(for: .call, sequence: number, until: Deadline(after: .zero))
          wait = nil
          return packet
        } catch {
          if error != .timedOut { throw error }
        }
      }
      // Without one of these it is something else that takes its time, and gives no sign.
      guard let right = message.rightToCopy(where: { !$0.mayCopyNow }) else { throw .timedOut }
      if wait?.right !== right { wait = try CreditWait(right, for: end, call.reactor) }
      wait?.listen()
      if !right.mayCopyNow { return nil }
    }
  }

  /// Ends the call with its request, which never left.
  func giveBack(_ error: PortError) {
    guard let request = content.withLock({ $0.message.take() }) else { return }
    call.complete(.returned(request, error))
  }
}

/// Room in a wire as the reactor sees it, made when a request has to wait for the first time. Not the one that threads
/// wait on: each sign is given once.
struct AsyncRoom {
  let watch: RoomWatch
  let key: UInt64
}

/// What a wire needs for asynchronous calls, made with the first one.
final class AsyncWire: Sendable {
  let reactor: Reactor
  /// The reactor's watch for replies.
  let key: UInt64
  /// Requests without room, in the order of their calls. The lock is held from the beginning of a call until its
  /// request has left or is in the queue, so that whoever ends the call finds it either here or sent.
  let outbox = Mutex<[QueuedRequest]>([])
  /// The reactor waits for replies just now.
  let isArmed = Mutex(false)
  let room = Mutex<AsyncRoom?>(nil)
  let callbacks = CallbackQueue()

  init(_ reactor: Reactor, key: UInt64) {
    self.reactor = reactor
    self.key = key
  }

  /// To be called while its socket is still open.
  func leaveReactor(_ descriptor: CInt) {
    reactor.remove(key, descriptor)
    if let room = room.withLock({ $0 }) { reactor.remove(room.key, room.watch.descriptor) }
  }
}
