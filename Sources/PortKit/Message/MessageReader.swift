/// Reads typed values, in the order in which a ``MessageWriter`` wrote them. Never reads past the end.
public struct MessageReader: ~Escapable {
  @usableFromInline let bytes: Span<UInt8>
  @usableFromInline var position = 0

  /// Bytes read so far.
  @inlinable public var offset: Int { position }

  /// Begins at the first byte. Copies nothing: the reader cannot outlive the bytes.
  @_lifetime(copy bytes)
  public init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// Bytes that are left.
  @inlinable public var remaining: Int { bytes.count - offset }

  /// The next integer, little-endian. Throws `tooShort` and reads nothing when the body ends before it does.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func read<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type = T.self
  ) throws(MessageReaderError) -> T {
    let size = T.bitWidth / 8
    try need(size)
    var value: T = 0
    for index in 0..<size { value |= T(truncatingIfNeeded: bytes[position + index]) &<< T(index * 8) }
    position += size
    return value
  }

  /// The next eight bytes as IEEE 754, not-a-number and infinity included.
  @_lifetime(self: copy self)
  public mutating func readDouble() throws(MessageReaderError) -> Double {
    Double(bitPattern: try read(UInt64.self))
  }

  /// One byte, 0 or 1; throws `invalidValue` for others.
  @_lifetime(self: copy self)
  public mutating func readBool() throws(MessageReaderError) -> Bool {
    let value: UInt8 = try read()
    guard value <= 1 else { throw .invalidValue(UInt64(value), offset: offset - 1) }
    return value == 1
  }

  /// A string as ``MessageWriter/write(_:)-(String)`` writes it: 32-bit length, then UTF-8.
  @_lifetime(self: copy self)
  public mutating func readString() throws(MessageReaderError) -> String {
    let count = Int(try read(UInt32.self))
    try need(count)
    let start = offset
    guard let text = String(validating: try readBytes(count), as: UTF8.self) else { throw .invalidUTF8(offset: start) }
    return text
  }

  /// Copies the next `count` bytes.
  @_lifetime(self: copy self)
  public mutating func readBytes(_ count: Int) throws(MessageReaderError) -> [UInt8] {
    guard count >= 0 else { throw .invalidValue(UInt64(bitPattern: Int64(count)), offset: offset) }
    try need(count)
    var copy: [UInt8] = []
    copy.reserveCapacity(count)
    for index in position..<(position + count) { copy.append(bytes[index]) }
    position += count
    return copy
  }

  /// Throws `trailingBytes` unless everything was read: what a receiver does not know it must not accept.
  public func expectEnd() throws(MessageReaderError) {
    guard remaining == 0 else { throw .trailingBytes(count: remaining) }
  }

  @inlinable
  func need(_ count: Int) throws(MessageReaderError) {
    guard count <= remaining else { throw .tooShort(offset: offset, needed: count, available: remaining) }
  }
}
