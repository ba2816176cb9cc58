import Glibc
import Synchronization

/// Blocks of one size, kept for reuse: their pages are mapped and warm.
final class MemoryPool: Sendable {
  static let small = MemoryPool(size: PacketBuffer.smallCapacity, keep: 256)
  static let large = MemoryPool(size: PacketBuffer.largeCapacity, keep: 32)

  private let size: Int
  private let keep: Int
  private let free: Mutex<[UInt]>

  init(size: Int, keep: Int) {
    self.size = size
    self.keep = keep
    var list: [UInt] = []
    list.reserveCapacity(keep)
    free = Mutex(list)
  }

  func take() -> UnsafeMutableRawPointer {
    // The lock may be held by a thread that only the parent has.
    let address = ProcessMark.isForkedChild ? nil : free.withLock { $0.popLast() }
    if let address { return unsafe UnsafeMutableRawPointer(bitPattern: address)! }
    return .allocate(byteCount: size, alignment: 64)
  }

  func give(_ block: UnsafeMutableRawPointer) {
    let kept =
      !ProcessMark.isForkedChild
      && free.withLock { list in
        guard list.count < keep else { return false }
        list.append(UInt(bitPattern: block))
        return true
      }
    if !kept { unsafe block.deallocate() }
  }
}
