/// Why bytes of a message could not be read as what they should be.
public enum MessageReaderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// `needed` bytes were asked for at `offset`, and only `available` were left.
  case tooShort(offset: Int, needed: Int, available: Int)
  /// The text that begins at this byte is no UTF-8.
  case invalidUTF8(offset: Int)
  /// A value that its type does not have, such as an unknown case number.
  case invalidValue(UInt64, offset: Int)
  /// So many bytes were left where the end was expected.
  case trailingBytes(count: Int)

  public var description: String {
    switch self {
    case .tooShort(let offset, let needed, let available):
      "message body ends at byte \(offset + available): \(needed) bytes expected at \(offset), \(available) left"
    case .invalidUTF8(let offset): "text at byte \(offset) of the message body is not UTF-8"
    case .invalidValue(let value, let offset): "value \(value) at byte \(offset) of the message body is not known"
    case .trailingBytes(let count): "\(count) bytes follow the end of the message"
    }
  }
}
