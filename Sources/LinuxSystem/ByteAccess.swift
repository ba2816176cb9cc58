// Little-endian numbers in byte spans. Bounds are checked in every build: the bytes come from other processes.
// Public and inlinable, because a generic call into another module costs more than the loads; the bodies of package
// functions stay behind in their module.

extension Span where Element == UInt8 {
  @inlinable @inline(__always)
  public func loadLittleEndian<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type = T.self, at offset: Int) -> T {
    precondition(offset >= 0 && offset <= count - MemoryLayout<T>.size, "read past the end of the bytes")
    return T(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self))
  }
}

extension MutableSpan where Element == UInt8 {
  @inlinable @inline(__always)
  @_lifetime(self: copy self)
  public mutating func storeLittleEndian<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
    precondition(offset >= 0 && offset <= count - MemoryLayout<T>.size, "write past the end of the bytes")
    var bytes = unsafe mutableBytes
    bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
  }
}

/// The same bytes, known to live as long as `owner`. For owners that keep the bytes in a class of theirs: the compiler
/// sees only the borrow of the class.
@inlinable @inline(__always)
@_lifetime(borrow owner)
public func borrowed<Owner: ~Copyable>(_ span: Span<UInt8>, by owner: borrowing Owner) -> Span<UInt8> {
  unsafe _overrideLifetime(span, borrowing: owner)
}
