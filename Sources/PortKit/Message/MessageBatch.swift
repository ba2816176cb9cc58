import LinuxSystem

/// Messages that leave together, in order, with as many in one packet as the queue has room for: a small message alone
/// costs the kernel far more than its bytes.
///
/// Each of them counts for the queue limit as if it were sent alone: on a port with a small one a batch gains little.
public struct MessageBatch: ~Copyable, Sendable {
  /// Frames one behind the other in one buffer, or a message that needs a packet of its own.
  enum Part: Sendable {
    case frames(FrameRun)
    case single(MessageBox)
  }

  struct FrameRun: Sendable {
    let buffer: PacketBuffer
    /// Where each frame ends; the first one begins at 0.
    var ends: [Int] = []
    /// Frames that were sent.
    var sent = 0

    init() { buffer = PacketBuffer.take(capacity: Limits.packet) }

    var remaining: Int { ends.count - sent }

    /// The bytes of the next `count` frames.
    func next(_ count: Int) -> Range<Int> { (sent == 0 ? 0 : ends[sent - 1])..<ends[sent + count - 1] }
  }

  var parts: [Part] = []
  /// The run that is being filled.
  private var open: FrameRun?

  /// An empty one, to be used once. Grows with what is appended and belongs to one holder.
  public init() {}

  /// Messages that are not sent yet.
  public var count: Int { parts.reduce(open?.remaining ?? 0) { $0 + $1.count } }

  /// Copies `body`. Throws `messageTooLarge`.
  public mutating func append(id: Int32, body: Span<UInt8>) throws(PortError) {
    if body.count > Limits.inlineBody {
      throw .messageTooLarge(bytes: body.count, limit: Limits.inlineBody)
    }
    append(FrameHeader(kind: .message, bodySize: body.count, id: id), body)
  }

  /// A message with rights or a reply right leaves in a packet of its own. Its place in the order is kept.
  public mutating func append(_ message: consuming Message) {
    guard message.rightsCount == 0, !message.wantsReply, message.bodyRange.count <= Limits.inlineBody else {
      close()
      return parts.append(.single(MessageBox(message)))
    }
    var header = FrameHeader(kind: .message, bodySize: message.bodyRange.count, id: message.id)
    header.trace = message.traceID
    append(header, message.body)
  }

  private mutating func append(_ header: FrameHeader, _ body: Span<UInt8>) {
    let size = FrameHeader.size + body.count
    if let run = open, run.buffer.count + size > run.buffer.capacity { close() }
    if open == nil { open = FrameRun() }
    guard let buffer = open?.buffer else { return }
    let start = buffer.count
    buffer.write(start..<(start + FrameHeader.size)) { header.encode(into: &$0) }
    buffer.copy(body, to: start + FrameHeader.size)
    buffer.count = start + size
    open?.ends.append(buffer.count)
  }

  /// What follows goes into another packet.
  mutating func close() {
    guard let run = open else { return }
    parts.append(.frames(run))
    open = nil
  }
}

extension MessageBatch.Part {
  var count: Int {
    switch self {
    case .frames(let run): run.remaining
    case .single: 1
    }
  }
}
