import Glibc
import Synchronization

/// Memory for one packet, taken from a pool of two sizes: nearly every packet fits the small one.
/// A buffer has one writer at a time; who holds it alone may write, who shares it only reads.
@safe
package final class PacketBuffer: @unchecked Sendable {
  /// Holds a 4 KiB body with its header and a few descriptors.
  package static let smallCapacity = 4096 + 256
  /// Holds a 64 KiB body with its header and a full descriptor table.
  package static let largeCapacity = 84 * 1024

  @usableFromInline let base: UnsafeMutableRawPointer
  package let capacity: Int
  /// Bytes in use, counted from the start.
  package var count = 0

  /// The memory is not cleared: only what was written or received counts.
  package init(capacity: Int) {
    if capacity <= Self.smallCapacity {
      self.capacity = Self.smallCapacity
      unsafe base = MemoryPool.small.take()
    } else if capacity <= Self.largeCapacity {
      self.capacity = Self.largeCapacity
      unsafe base = MemoryPool.large.take()
    } else {
      self.capacity = capacity
      unsafe base = .allocate(byteCount: capacity, alignment: 16)
    }
  }

  deinit {
    switch capacity {
    case Self.smallCapacity: unsafe MemoryPool.small.give(base)
    case Self.largeCapacity: unsafe MemoryPool.large.give(base)
    default: unsafe base.deallocate()
    }
  }

  @inlinable @inline(__always)
  @_lifetime(borrow self)
  package func bytes(_ range: Range<Int>) -> Span<UInt8> {
    precondition(range.lowerBound >= 0 && range.upperBound <= capacity, "outside the packet buffer")
    let start = unsafe base.advanced(by: range.lowerBound).assumingMemoryBound(to: UInt8.self)
    let span = unsafe Span<UInt8>(_unsafeStart: UnsafePointer(start), count: range.count)
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// Lends bytes for writing; the closure keeps the span from outliving the exclusive access.
  @inlinable @inline(__always)
  package func write<Result>(_ range: Range<Int>, _ body: (inout MutableSpan<UInt8>) -> Result) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= capacity, "outside the packet buffer")
    let start = unsafe base.advanced(by: range.lowerBound).assumingMemoryBound(to: UInt8.self)
    var span = unsafe MutableSpan<UInt8>(_unsafeStart: start, count: range.count)
    return body(&span)
  }

  package func copy(_ source: Span<UInt8>, to offset: Int) {
    precondition(offset >= 0 && offset <= capacity - source.count, "outside the packet buffer")
    unsafe source.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe memcpy(base + offset, start, bytes.count)
    }
  }

  package func copy(_ source: [UInt8], to offset: Int) { copy(source.span, to: offset) }

  @inline(__always)
  func address(_ offset: Int) -> UnsafeMutableRawPointer { unsafe base + offset }
}

/// Blocks of one size, kept for reuse: their pages are mapped and warm.
private final class MemoryPool: Sendable {
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
