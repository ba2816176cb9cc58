import LinuxSystem
import Synchronization

/// The charges of this machine's kernel, measured on a pair of sockets when a size is first seen.
enum PacketCharges {
  private static let table = Mutex(ChargeTable())

  /// What a full queue of the smallest packets is reckoned with.
  static var smallest: Int { charge(of: FrameHeader.size) }

  /// 0 when it cannot be measured for lack of descriptors: the packet then counts as taken with the one before it, or
  /// when the queue is empty.
  static func charge(of size: Int) -> Int {
    // In a child made by `fork` the lock may be held for ever.
    let known = table.withLockIfAvailable { $0.charge(of: size, measure: measure) }
    return (known ?? measure(size)) ?? 0
  }

  /// The largest buffer that a sender may have here, in the measure of charges; nil when it cannot be measured.
  static func largestSendBuffer() -> Int? {
    guard let pair = try? PacketSocket.pair() else { return nil }
    try? pair.first.setSendBuffer(bytes: Int(CInt.max / 2))
    return (try? pair.first.sendBuffer()).map { $0 * 2 }
  }

  private static func measure(_ size: Int) -> Int? {
    guard let pair = try? PacketSocket.pair() else { return nil }
    let packet = PacketBuffer.take(capacity: size)
    guard (try? pair.first.send(packet, 0..<size)) == true else { return nil }
    return try? pair.first.unreadByPeer()
  }
}
