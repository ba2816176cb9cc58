import LinuxSystem

/// Every bound of the package, with its reason.
public enum Limits {
  /// Bytes of a message body that travel inside a packet. The default socket buffer (212 992 bytes) then holds three.
  public static let inlineBody = 64 * 1024

  /// Messages that may wait on one right unless the port says otherwise (MACH_PORT_QLIMIT_DEFAULT).
  public static let queueLimit = 5

  /// The highest queue limit without asking for a large one (MACH_PORT_QLIMIT_MAX).
  public static let highestQueueLimit = 1024

  /// The highest limit of a large queue: what the largest send buffer of any system holds.
  public static let largestQueueLimit = 1 << 21

  /// Bytes of one packet, however many frames share it.
  static let packet = PacketBuffer.largeCapacity

  /// Rights in one message, its reply right among them. (Mach has 16 383; a process here has 1 024 descriptors unless
  /// it asks for more.)
  public static let rightsPerMessage = 4096

  /// Rights that travel in the message's own packet: the kernel passes at most 253 descriptors with one. More go into
  /// a carrier.
  static let rightsPerPacket = 253

  /// Bytes of a port that moves: 24 for each of its wires, and the packets in hand, at most one from each wire. A
  /// receiver that does not want the port has to hold that much.
  public static let movedPort = 64 << 20

  /// Send-once notices in the hand of a moved port, which its receiver has to believe.
  static let movedNotices = 1 << 16

  /// Descriptors of one moved port or one array of rights: far above what a process may have open.
  static let carriedDescriptors = 1 << 20

  /// Bytes that a carrier's socket may hold, where the system allows it. What does not fit goes into further ones.
  static let carrierSendBuffer = 4 << 20

  /// Bytes in one packet of a carrier: a quarter of what the smallest usual socket buffer holds.
  static let carrierPacket = 32_000

  /// Bytes of a carrier's buffer that are kept for the seal: more than one packet may overshoot it.
  static let carrierSealRoom = 64 * 1024

  /// Calls that may be out on one wire. A caller that has as many replies unread, beside those that fit into its socket
  /// buffer, makes no honest calls: each of them costs the service's user a descriptor in flight.
  public static let callsPerWire = 128

  /// Wires of one kept port, each of which costs its keeper a descriptor.
  public static let keptWires = 4096

  /// Ports that one port keeps.
  public static let keptPorts = 1024

  /// Threads for the callbacks of calls: each right uses one while a callback of it runs.
  public static let callbackThreads = 64

  /// How long `send` waits for room when nothing else is said.
  public static let sendTimeout: Duration = .seconds(10)

  /// How long a name may take to go up: a broker that hangs must not hang its clients' run loops for ever.
  static let announcementTimeout: Duration = .seconds(5)

  /// How much longer than the broker a waiting look-up waits for the broker's word that the time is over.
  static let lookUpGrace: Duration = .seconds(1)

  /// Bytes of a wire's socket for the replies that it may owe: 16 KiB for each call that may be out. The system may
  /// allow less; half of what it allows is left for control frames. Further replies get wires of their own.
  static let replySendBuffer = 2 << 20

  /// Changes of the queue limit that one look at a wire deals with. A port tells no further ones while a quarter of a
  /// wire's buffer is in use, so this is more than an honest one ever has there.
  static let newsPerLook = 2048

  /// Packets after which a right that only copies asks the kernel how many of them were taken.
  static let ledgerPackets = 64

  /// Bytes of a service name, as in Apple's bootstrap.h.
  public static let serviceName = 128

  /// Bytes that a wire's socket may hold so that a control frame fits behind a queue full of mail.
  static let controlSendBuffer = 1 << 20

  /// Wires that the copies of one right, their copies and so on may bring into a port. Enough for a client of many
  /// parts; a client that copies without end costs its service no more than twice as many descriptors: the others are
  /// those of one copy in the hand of each wire that is stopped.
  public static let copiesPerRight = 64

  /// How long a wire waits for room for the copy that it brings, before such copies are refused. Long enough for a
  /// client to end others of its rights; what it parks in the wire itself would wait for ever.
  public static let copyPatience: Duration = .seconds(10)

  /// Descriptors of mail in hand beyond which further mail waits in its wires until it is delivered: with the most that
  /// one packet brings they fit into the numbers that copies never take.
  static let heldDescriptors = 64

  /// Copies that may be under way on one wire: each counts against what its user may have in flight, so an owner that
  /// does not read must not collect them.
  static let unadoptedCopies = 8

  /// The owner gives credit for copies back in pieces of this size: half of all, so that no holder waits for the rest.
  static let creditBatch = 4

  /// Frames for the library itself that one look at a port deals with, about a millisecond of work: others get the lock
  /// and deadlines their turn, whatever floods in.
  static let framesPerLook = 128

  /// Wires that go on at one look when descriptors are free again.
  static let starvedPerLook = 8

  /// How often a thread in `receive` looks up for which there was no descriptor left to wake it by.
  static let blindPause: Duration = .milliseconds(100)

  /// How often a sleeping port looks whether descriptors are free again, while a copy waits for one.
  static let starvedPause: Duration = .milliseconds(50)

  /// A port that is served without pause still looks at its other descriptors (notices, other wires) this often.
  static let directReceivesInARow = 32
}
