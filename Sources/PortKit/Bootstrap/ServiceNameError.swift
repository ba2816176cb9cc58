/// Why a text cannot name a service.
public enum ServiceNameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no character in it.
  case empty
  /// More than ``Limits/serviceName`` bytes of UTF-8.
  case tooLong(bytes: Int)
  /// A control character, which could disturb a terminal or a log, at this byte.
  case controlCharacter(code: UInt32, byte: Int)
  /// The byte at which UTF-8 ends.
  case invalidUTF8(byte: Int)

  public var description: String {
    switch self {
    case .empty: "a service name must not be empty"
    case .tooLong(let bytes): "a service name has at most \(Limits.serviceName) bytes, this one has \(bytes)"
    case .controlCharacter(let code, let byte):
      "a service name has no control characters, this one has U+\(hexadecimal(code)) at byte \(byte)"
    case .invalidUTF8(let byte): "a service name is UTF-8, this one is not at byte \(byte)"
    }
  }

  private func hexadecimal(_ code: UInt32) -> String {
    let digits = String(code, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
