import LinuxSystem

/// What a mailbox knows, guarded by the mailbox's lock: its wires, the packets in hand, notices, and what is armed.
struct MailboxState: ~Copyable {
  static let watchFlag: UInt64 = 1 << 63

  let port: PortID
  let shared: SharedPoller
  var wires = WireTable()
  var order = ArrivalOrder()
  var receiver = PacketReceiver()
  var events = ReadyEvents()
  /// Out on loan while a thread sleeps in the poll.
  var sleepersEvents: ReadyEvents? = ReadyEvents()
  /// The wire that a packet was last delivered from: it must be looked at again before another one is.
  var refill: UInt64?
  var receivesSincePoll = 0

  var notices = NoticeQueue()
  var bell = Doorbell()
  /// Mail in hand is to be seen at the descriptor, because somebody else than its taker may be waiting there.
  var mustShow = false
  /// Somebody else than threads in `receive` and sets looks at the descriptor.
  var isWatched = false
  var watches = WatchTable()
  /// Ports whose last senders are to be told here, under the keys of their descriptors.
  var looks: [UInt64: Look] = [:]
  /// What is to be done for other ports once this one's lock is free.
  var errands: [Errand] = []

  var acceptsAdoption = true
  var charges = ChargeTree(limit: Limits.copiesPerRight)
  /// Stopped wires whose copy would take one of the last descriptors.
  var starved: [UInt64] = []
  /// How long stopped wires may wait for room.
  var patience = Patience()
  /// For the end of the next one's patience.
  var alarm = Alarm()
  var isClosed = false
  /// The number of the packed port that may leave at any moment: nothing is taken in hand meanwhile.
  var departure: UInt64?
  var packed: UInt64 = 0
  /// Of a port that another process keeps.
  var keeper: KeeperLink?
  /// What was delivered of packets that are still there, before an earlier owner died.
  var skips: [UInt64: KeptState.Progress] = [:]
  /// The cookie of a wire whose adopt frame may come once more, because the owner died when it had passed it on.
  var mayComeAgain: UInt64?
  /// Ports of others that are kept here.
  var kept = KeptPorts()
  /// What was sent before is still delivered; nothing more can be sent.
  var isShuttingDown = false
  /// Which value of a receive right owns the port: earlier ones are empty shells.
  var owner: UInt64 = 0
  var waiters: [Waiter] = []
  /// The one who sleeps in the poll for all.
  var leader: Waiter?
  var leaderIsCalled = false
  var spareWaiter: Waiter?
  var memberships: [Membership] = []
  var nextSequence = 0
  var guardValue: PortGuard?
  var makeSendCount = 0
  /// Messages that may wait on each of the wires.
  var queueLimit = Limits.queueLimit
  /// Wires whose holders have so much unread that they could not be told the limit.
  var untold: Set<UInt64> = []
  /// The highest limit that any holder may have been told: no packet has more messages.
  var highestLimit = Limits.queueLimit
  var hadSenders = false
  var noSenders: ArmedNoSenders?
  /// Why wires were closed by us, the latest last. For the log of a daemon.
  var faults: [FrameError] = []
  static let faultsKept = 8
  var faultCount = 0

  init(_ port: PortID, _ shared: SharedPoller) {
    self.port = port
    self.shared = shared
  }

  /// Mail or a notice is in hand, whatever the poller's descriptor says.
  var hasStagedMail: Bool { !order.isEmpty || !notices.isEmpty || noSendersIsDue }
}
