import CPortShims
import Glibc

/// Memory for one packet, in one of two sizes: nearly every packet fits the small one.
/// A buffer has one writer at a time; who holds it alone may write, who shares it only reads.
@safe
public final class PacketBuffer: @unchecked Sendable {
  /// Holds a 4 KiB body with its header and a few descriptors.
  package static let smallCapacity = 4096 + 256
  /// Holds a 64 KiB body with its header and a full descriptor table.
  package static let largeCapacity = 84 * 1024

  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline package let capacity: Int
  /// Not checked for exclusivity: there is one writer, or none.
  @exclusivity(unchecked) @usableFromInline var used = 0

  /// One that nobody else has. The memory is not cleared: only what was written or received counts.
  package static func take(capacity: Int) -> PacketBuffer {
    if capacity <= smallCapacity { return BufferShelf.small.take() }
    if capacity <= largeCapacity { return BufferShelf.large.take() }
    return PacketBuffer(capacity: capacity)
  }

  /// Bytes in use, counted from the start.
  @inlinable @inline(__always)
  public var count: Int {
    get { unsafe used }
    set { unsafe used = newValue }
  }

  /// True when nobody else refers to the buffer: what others did with it is done. The thread sanitizer does not see
  /// Swift's reference counts, which say so; under it no buffer is used again.
  static func isFree(_ buffer: inout PacketBuffer) -> Bool {
    isKnownUniquelyReferenced(&buffer) && !cps_has_thread_sanitizer()
  }

  init(capacity: Int) {
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
  public func bytes(_ range: Range<Int>) -> Span<UInt8> {
    precondition(range.lowerBound >= 0 && range.upperBound <= capacity, "outside the packet buffer")
    let start = unsafe base.advanced(by: range.lowerBound).assumingMemoryBound(to: UInt8.self)
    let span = unsafe Span<UInt8>(_unsafeStart: UnsafePointer(start), count: range.count)
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// Lends bytes for writing; the closure keeps the span from outliving the exclusive access.
  @inlinable @inline(__always)
  public func write<Result>(_ range: Range<Int>, _ body: (inout MutableSpan<UInt8>) -> Result) -> Result {
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
