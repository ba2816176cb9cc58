import LinuxSystem
import Synchronization

/// A request that waits for room in its wire. It stands in the line of the wire's senders.
final class QueuedRequest: Sendable {
  let call: AsyncCall
  let number: UInt64
  let ticket: UInt64
  let packet: Message.Outgoing
  private let request: Mutex<Message?>

  init(
    _ call: AsyncCall, _ number: UInt64, ticket: UInt64, _ request: consuming Message, _ packet: Message.Outgoing
  ) {
    (self.call, self.number, self.ticket, self.packet) = (call, number, ticket, packet)
    self.request = Mutex(consume request)
  }

  /// False when there is still no room, or others come first.
  func attempt(on end: HolderEnd) throws(PortError) -> Bool {
    try request.withLock { (request) throws(PortError) -> Bool in
      guard let message = request.take() else { return true }
      do throws(PortError) {
        let number = try end.attemptInTurn(ticket, message, packet)
        request = consume message
        if let number { call.hasLeft(in: number) }
        return number != nil
      } catch {
        request = consume message
        throw error
      }
    }
  }

  /// Ends the call with its request, which never left.
  func giveBack(_ error: PortError) {
    guard let request = request.withLock({ $0.take() }) else { return }
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
