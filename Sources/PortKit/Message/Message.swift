package import LinuxSystem

/// One message: an id that the system does not interpret, a body of bytes, and rights that travel with it.
///
/// A message owns its rights. Sending it gives them away; destroying it destroys them, so a reply right in it answers
/// its caller with `replyDropped` and a send-once right gives its send-once notification. It belongs to one holder at a
/// time, and may change threads.
public struct Message: ~Copyable, Sendable {
  /// `msgh_id`. Free for the user; notifications have Mach's numbers, and ``notification`` tells them from imitations.
  public var id: Int32
  /// Travels unchanged from request to reply; 0 when unused.
  public var traceID: UInt64 = 0
  /// Set when the library made this message itself, to tell of an event. It cannot be sent by another process.
  public let notification: PortNotification?
  /// Who sent it, as the kernel witnessed for this very packet; nil when the kernel did not say.
  package let sender: Credentials?

  /// Where and as which one it was received; zero in messages made here and in replies of calls.
  private var arrivalPort: UInt64 = 0
  private var arrivalNumber = 0

  let buffer: PacketBuffer
  let bodyRange: Range<Int>
  var rights: [MessageRight] = []
  private var reply: SendOnceRight?

  /// Copies `body`. More than ``Limits/inlineBody`` bytes are refused by the send.
  public init(id: Int32, body: Span<UInt8>) {
    self.id = id
    notification = nil
    sender = nil
    buffer = PacketBuffer.take(capacity: FrameHeader.size + body.count)
    buffer.copy(body, to: FrameHeader.size)
    bodyRange = FrameHeader.size..<(FrameHeader.size + body.count)
  }

  /// Copies `body`.
  public init(id: Int32, body: [UInt8] = []) { self.init(id: id, body: body.span) }

  /// The body as written so far by `writer`.
  public init(id: Int32, _ writer: MessageWriter) { self.init(id: id, body: writer.bytes.span) }

  /// A received one.
  init(
    header: FrameHeader, buffer: PacketBuffer, bodyRange: Range<Int>, sender: Credentials?, rights: [MessageRight],
    reply: consuming SendOnceRight?
  ) {
    id = header.id
    traceID = header.trace
    notification = nil
    self.sender = sender
    self.buffer = buffer
    self.bodyRange = bodyRange
    self.rights = rights
    self.reply = reply
  }

  init(_ notification: PortNotification) {
    id = notification.messageID
    self.notification = notification
    sender = nil
    buffer = PacketBuffer.take(capacity: FrameHeader.size)
    bodyRange = FrameHeader.size..<FrameHeader.size
  }

  /// The bytes, without a copy; they cannot outlive the message.
  public var body: Span<UInt8> {
    @_lifetime(borrow self)
    get { borrowed(buffer.bytes(bodyRange), by: self) }
  }

  // MARK: Arrival

  /// `msgh_local_port`: the port that the message was received on, which tells the members of a set apart. Nil in a
  /// message that was made here and in the reply of a call.
  public var localPort: PortID? { arrivalPort == 0 ? nil : PortID(number: arrivalPort) }

  /// `msgh_seqno`: counts the messages of one port in the order in which they were received, from 0 at its creation or
  /// last move to another process. Notifications count too. Nil where ``localPort`` is.
  public var sequenceNumber: Int? { arrivalPort == 0 ? nil : arrivalNumber }

  mutating func note(arrivalAt port: PortID, sequenceNumber: Int) {
    arrivalPort = port.number
    arrivalNumber = sequenceNumber
  }

  // MARK: Reply

  /// True while the message has a reply right: its sender waits for an answer.
  public var wantsReply: Bool {
    switch reply {
    case .some: true
    case .none: false
    }
  }

  /// Takes the reply right out; nil when there is none or it was taken before.
  public mutating func takeReply(fileID: StaticString = #fileID, line: UInt = #line) -> SendOnceRight? {
    reply.take()?.listed(fileID, line)
  }

  /// Gives the receiver a right to answer to. Destroys an earlier one. Not for messages that are `call`ed: a call makes
  /// its own.
  public mutating func setReply(_ right: consuming SendOnceRight) { reply = right.unlisted() }

  mutating func promoteReply() throws(PortError) -> CInt? { try reply?.promote() }
}
