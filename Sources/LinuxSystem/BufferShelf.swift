import Synchronization

/// A few buffers of one size that are used again and again. It keeps a reference to each: one that nobody else refers
/// to is free. So whoever is done with a buffer just lets go, and neither the heap nor a list of free ones is touched.
final class BufferShelf: Sendable {
  static let small = BufferShelf(capacity: PacketBuffer.smallCapacity, keep: 16)
  static let large = BufferShelf(capacity: PacketBuffer.largeCapacity, keep: 4)

  private let capacity: Int
  private let keep: Int
  private let places: Mutex<[PacketBuffer]>

  init(capacity: Int, keep: Int) {
    self.capacity = capacity
    self.keep = keep
    var list: [PacketBuffer] = []
    list.reserveCapacity(keep)
    places = Mutex(list)
  }

  /// The first free one, whose memory is likely to be in the cache.
  func take() -> PacketBuffer {
    // The lock may be held by a thread that only the parent has.
    if ProcessMark.isForkedChild { return PacketBuffer(capacity: capacity) }
    return places.withLock { places in
      for index in places.indices where PacketBuffer.isFree(&places[index]) {
        places[index].count = 0
        return places[index]
      }
      let buffer = PacketBuffer(capacity: capacity)
      if places.count < keep { places.append(buffer) }
      return buffer
    }
  }
}
