import LinuxSystem
import Synchronization

/// The holder's end of a wire: what a send right is made of. Requests go out, replies come in.
final class HolderEnd: Sendable {
  let socket: PacketSocket
  /// The kernel's number of the mailbox's end of a copy that was made here; 0 where it is not known. Only good for
  /// telling a user that a message would go round in a circle.
  let peerCookie: UInt64
  let mark = ProcessMark()
  let calls: Monitor<CallTable>
  let receiver = Mutex<PacketReceiver?>(nil)
  let watches = DeadNameWatches()
  let queue: Monitor<SendQueue>
  /// Made when a sender has to wait for the first time.
  let room = Mutex<RoomWatch?>(nil)
  /// Made when a copy has to wait for credit for the first time.
  let creditRoom = Mutex<RoomWatch?>(nil)
  /// An asynchronous request that moves this right waits for its credit.
  let creditWait = Mutex<WeakCreditWait?>(nil)
  let async = Mutex<AsyncWire?>(nil)
  let possible = Mutex<SendPossibleWatch?>(nil)

  /// The numbers of a new wire start anywhere, so that a stale number of another wire never fits by accident.
  init(_ socket: consuming PacketSocket, queueLimit: Int = Limits.queueLimit, peerCookie: UInt64 = 0) {
    self.socket = socket
    self.peerCookie = peerCookie
    queue = Monitor(SendQueue(limit: queueLimit))
    calls = Monitor(CallTable(nextNumber: .random(in: 0...UInt64.max)))
  }

  /// Of a right that another holder moved here.
  init(_ socket: consuming PacketSocket, _ state: TravelState) {
    self.socket = socket
    peerCookie = 0
    queue = Monitor(SendQueue(state))
    calls = Monitor(CallTable(nextNumber: state.nextCall))
  }

  deinit {
    if !mark.isCurrent { return }
    watches.end(socket.descriptor.number)
    possible.withLock { $0.take() }?.close()
    async.withLock { $0 }?.leaveReactor(socket.descriptor.number)
  }

  /// For the next holder of a right that is moved.
  var travelState: TravelState {
    var state = TravelState()
    if !mark.isCurrent { return state }
    state.nextCall = calls.withLock { $0.nextNumber }
    queue.withLock { queue in
      state.queueLimit = queue.limit
      state.copyCredit = queue.copyCredit
      state.setPackets(queue.ledger.outstanding)
    }
    return state
  }
  var mayStillBeAnswered: Bool { mark.isCurrent && calls.withLock { $0.mayStillBeAnswered } }

  var isDeadName: Bool {
    let number = socket.descriptor.number
    return (try? hasHungUp(of: number)) ?? true
  }

  /// In a child made by `fork` every right is a dead name.
  func checkProcess() throws(PortError) {
    if !mark.isCurrent { throw .deadName }
  }
}
