import HIDKit

/// Every bound on the broker's tables and queues, with its reason.
enum BrokerLimits {
  // MARK: Name server

  /// Names that one session may hold: more than any service of ours offers, few enough that one session cannot fill the
  /// table.
  static let namesPerSession = 64

  /// Names in all: 64 sessions at their own limit. Each costs the broker at least one descriptor.
  static let names = 4096

  /// Look-ups that one session may keep waiting; as many calls may be outstanding on one wire.
  static let waitersPerSession = 128

  /// Look-ups that may wait for one name: all of them must be answered in the turn in which the name appears, each with
  /// a new pair of descriptors.
  static let waitersPerName = 256

  /// Waiting look-ups in all: bounds the work of one change of the table.
  static let waiters = 4096

  // MARK: Windows, contacts, keys

  /// Windows of one client: a kiosk has a handful.
  static let windowsPerClient = 32

  /// Windows in all: what one listing can tell. Hit-testing walks them in order.
  static let windows = HIDLimits.windowsPerListing

  /// Contacts of one sender, swallowed ones too: as many as one frame can hold.
  static let contactsPerSender = HIDLimits.childrenPerEvent

  /// Keys that one sender holds down: more than two hands have fingers, fewer than a stuck table would collect.
  static let keysPerSender = 64

  // MARK: Flow

  /// Batches that a client may leave unanswered before it is sent no more. At 120 frames a second this is half a
  /// second, far above any healthy client's delay, and it bounds what a stalled client's port holds.
  static let batchesInFlight = 64

  /// Batches that wait behind those in flight before moves are dropped and new gestures refused: two seconds of frames
  /// at 120 a second. Above it only ends are queued, at most one for each contact and key that the client has.
  static let batchesWaiting = 256

  /// Injections of one injector without answer; as many calls may be outstanding on one wire.
  static let pendingInjectionsPerInjector = 128

  // MARK: Shell

  /// Connected clients: each costs the broker three descriptors, four with the event system, and a listing of them
  /// stays readable.
  static let sessions = 4096

  /// How long the broker lets nobody in when it has no descriptor left even to turn somebody away.
  static let doorPause: Duration = .milliseconds(100)

  /// Names in one answer of the listing: 144 bytes each at most, together within one message.
  static let namesPerListing = 256

  /// Bytes of unread deliveries that the socket to one client may hold: what may be in flight, at its largest.
  static let eventSendBuffer = 1 << 20

  /// Look-ups of one service that wait until it takes in earlier ones: a stopped service must not hold more of the
  /// broker's memory than this.
  static let lookUpsInLine = 1024

  /// How long look-ups wait for a service that does not take in earlier ones. It is stopped or hostile then, and
  /// whoever asks must not hang with it.
  static let lookUpPatience: Duration = .seconds(5)
}
