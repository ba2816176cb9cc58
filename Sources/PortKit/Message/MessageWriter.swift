/// Appends typed values to a message body: little-endian, without padding.
public struct MessageWriter: Sendable {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public mutating func write<T: FixedWidthInteger>(_ value: T) {
    var rest = value
    for _ in 0..<(T.bitWidth / 8) {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  public mutating func write(_ value: Double) { write(value.bitPattern) }

  public mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

  /// 32-bit length, then UTF-8.
  public mutating func write(_ text: String) {
    write(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}
