import LinuxSystem

/// What a mailbox knows, guarded by the mailbox's lock: its wires, the packets in hand, notices, and what is armed.
struct MailboxState: ~Copyable {
  static let doorbellKey: UInt64 = 0
  static let watchFlag: UInt64 = 1 << 63

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

  var notices: [PortNotification] = []
  var bell: EventCounter?
  var watches = WatchTable()

  var acceptsAdoption = true
  var charges = ChargeTree(limit: Limits.copiesPerRight)
  /// Stopped wires whose copy would take one of the last descriptors.
  var starved: [UInt64] = []
  var isClosed = false
  /// What was sent before is still delivered; nothing more can be sent.
  var isShuttingDown = false
  var isPolling = false
  var makeSendCount = 0
  /// Messages that may wait on each of the wires.
  var queueLimit = Limits.queueLimit
  var hadSenders = false
  var noSendersSync: Int?
  /// Why wires were closed by us, the latest last. For the log of a daemon.
  var faults: [FrameError] = []
  static let faultsKept = 8

  init(_ shared: SharedPoller) { self.shared = shared }

  /// Mail or a notice is in hand, whatever the poller's descriptor says.
  var hasStagedMail: Bool { !order.isEmpty || !notices.isEmpty || noSendersIsDue }
}
