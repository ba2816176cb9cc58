package import LinuxSystem

/// Why an operation on a right failed. Mach's return code stands behind each case that has one.
public enum PortError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The receive right is gone; nobody will ever read there. (MACH_SEND_INVALID_DEST)
  case deadName
  /// The deadline passed, or the operation would have waited and was told not to. (MACH_SEND_TIMED_OUT,
  /// MACH_RCV_TIMED_OUT)
  case timedOut
  /// The task that waited was cancelled. (MACH_SEND_INTERRUPTED, MACH_RCV_INTERRUPTED)
  case cancelled
  /// The port was destroyed or moved away while it was used, or this value of its right is an empty shell. Of a set: it
  /// was destroyed. (MACH_RCV_PORT_CHANGED, MACH_RCV_INVALID_NAME)
  case portChanged
  /// (KERN_ALREADY_IN_SET)
  case alreadyInSet
  /// (KERN_NOT_IN_SET)
  case notInSet
  /// The port is guarded against this. (KERN_INVALID_RIGHT, KERN_INVALID_CAPABILITY)
  case guarded
  /// The port has another guard than the given one, or none. (KERN_INVALID_ARGUMENT)
  case wrongGuard
  /// The port has a keeper already. (KERN_FAILURE)
  case alreadyKept
  /// Other ports are kept in this one, which can therefore not move.
  case keepsPorts
  /// The callee took the request and destroyed its send-once right. (MACH_NOTIFY_SEND_ONCE)
  case replyDropped
  /// The body is larger than what travels inside a message. (MACH_SEND_TOO_LARGE)
  case messageTooLarge(bytes: Int, limit: Int)
  /// Outside 0…`highest`. (KERN_INVALID_VALUE)
  case invalidQueueLimit(Int, highest: Int)
  /// Below 0.
  case invalidCopyLimit(Int)
  /// The port's keeper does not read what it is told: the port cannot move until it does.
  case keeperNotReading
  /// The system's socket buffers cannot hold so many messages: net.core.wmem_max decides. (KERN_RESOURCE_SHORTAGE)
  case queueTooLarge(Int, systemHolds: Int)
  /// More rights than one message can bring; its reply right counts. (MACH_SEND_TOO_LARGE)
  case tooManyRights(count: Int, limit: Int)
  /// So many calls already wait for their reply on this right. (MACH_SEND_NO_BUFFER)
  case tooManyCalls(limit: Int)
  /// This process, or this user's share of descriptors in flight, is exhausted. (KERN_RESOURCE_SHORTAGE)
  case descriptorShortage
  /// The system gives this process no further thread, which asynchronous work needs. (KERN_RESOURCE_SHORTAGE)
  case threadShortage
  /// The message arrived, this right of it did not: the receiver was out of descriptors. (MACH_RCV_BODY_ERROR)
  case rightLost(index: Int)
  /// The message has no right at this place, or it was taken before.
  case noSuchRight(index: Int)
  /// The right at this place is of another kind. (KERN_INVALID_RIGHT)
  case wrongKindOfRight(index: Int)
  /// The message carries the receive right of its own destination: nobody could ever receive it. (Mach destroys it and
  /// says that it was sent.)
  case circularMove
  /// The kernel refused for a reason that has no name here.
  case system(String)

  public var description: String {
    switch self {
    case .deadName: "dead name: the port's receive right is gone"
    case .timedOut: "timed out"
    case .cancelled: "cancelled"
    case .portChanged: "the port was destroyed or moved away, or the set was destroyed"
    case .alreadyInSet: "the port is in this set already"
    case .notInSet: "the port is not in this set"
    case .guarded: "the port is guarded"
    case .wrongGuard: "the port does not have this guard"
    case .alreadyKept: "the port has a keeper already"
    case .keepsPorts: "other ports are kept in this one, so it cannot move"
    case .replyDropped: "the callee dropped the reply right"
    case .messageTooLarge(let bytes, let limit): "message body of \(bytes) bytes is over the limit of \(limit)"
    case .invalidQueueLimit(let limit, let highest): "queue limit \(limit) is outside 0…\(highest)"
    case .invalidCopyLimit(let limit): "copy limit \(limit) is below 0"
    case .keeperNotReading: "the port's keeper does not read what it is told, so the port cannot move"
    case .queueTooLarge(let limit, let held):
      "queue limit \(limit): the socket buffers of this system hold \(held) messages (net.core.wmem_max)"
    case .tooManyRights(let count, let limit): "message with \(count) rights is over the limit of \(limit)"
    case .tooManyCalls(let limit): "\(limit) calls already wait for their reply on this right"
    case .descriptorShortage: "out of file descriptors"
    case .threadShortage: "out of threads"
    case .rightLost(let index): "right \(index) was lost: the receiver was out of file descriptors"
    case .noSuchRight(let index): "the message has no right \(index), or it was taken already"
    case .wrongKindOfRight(let index): "right \(index) of the message is of another kind"
    case .circularMove: "the message carries the receive right of its own destination"
    case .system(let text): text
    }
  }

  package init(_ error: Errno) {
    if error.isDeadPeer { self = .deadName; return }
    if error == .wouldBlock { self = .timedOut; return }
    if error.isDescriptorShortage { self = .descriptorShortage; return }
    self = .system(error.description)
  }
}

/// Runs a kernel operation and translates its error.
@inline(__always)
func translatingErrno<Result: ~Copyable>(_ body: () throws(Errno) -> Result) throws(PortError) -> Result {
  do { return try body() } catch { throw PortError(error) }
}
