/// Why a text cannot name a service.
public enum ServiceNameError: Error, Hashable, Sendable, CustomStringConvertible {
  case empty
  case tooLong(bytes: Int)
  case controlCharacter(code: UInt32, byte: Int)
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

/// The name of a service in the bootstrap name space, by custom in reverse DNS order: `org.example.echo`.
/// 1 to 128 bytes of UTF-8 without control characters.
public struct ServiceName: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ text: String) throws(ServiceNameError) {
    let bytes = text.utf8.count
    if bytes == 0 { throw .empty }
    if bytes > Limits.serviceName { throw .tooLong(bytes: bytes) }
    var offset = 0
    for scalar in text.unicodeScalars {
      if scalar.properties.generalCategory == .control { throw .controlCharacter(code: scalar.value, byte: offset) }
      offset += scalar.utf8.count
    }
    description = text
  }

  public init(utf8 bytes: [UInt8]) throws(ServiceNameError) {
    if bytes.count > Limits.serviceName { throw .tooLong(bytes: bytes.count) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalidUTF8(byte: Self.firstInvalidByte(bytes))
    }
    try self.init(text)
  }

  private static func firstInvalidByte(_ bytes: [UInt8]) -> Int {
    var valid = 0
    for end in 1...bytes.count where String(validating: bytes[..<end], as: UTF8.self) != nil { valid = end }
    return valid
  }
}
