/// Appends typed values to a message body: little-endian, without padding.
public struct MessageWriter: Sendable {
  /// What was written so far.
  public var bytes: [UInt8] { storage }
  @usableFromInline var storage: [UInt8] = []

  /// An empty body.
  public init() { storage.reserveCapacity(64) }

  /// As many bytes as the type has, little-endian; write types of fixed width, since `Int` is the platform's.
  @inlinable
  public mutating func write<T: FixedWidthInteger>(_ value: T) {
    // Inlinable, so that the loop over the bytes of a known type is unrolled in the caller.
    for index in 0..<(T.bitWidth / 8) { storage.append(UInt8(truncatingIfNeeded: value &>> T(index * 8))) }
  }

  /// Eight bytes of IEEE 754.
  @inlinable
  public mutating func write(_ value: Double) { write(value.bitPattern) }

  /// One byte, 0 or 1.
  @inlinable
  public mutating func write(_ value: Bool) { storage.append(value ? 1 : 0) }

  /// 32-bit length, then UTF-8.
  public mutating func write(_ text: String) {
    write(UInt32(text.utf8.count))
    storage.append(contentsOf: text.utf8)
  }
}
