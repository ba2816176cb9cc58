/// The name of a service in the bootstrap name space, by custom in reverse DNS order: `org.example.echo`.
/// 1 to 128 bytes of UTF-8 without control characters.
public struct ServiceName: Hashable, Sendable, CustomStringConvertible {
  /// The name itself.
  public let description: String

  /// Checks the text. Names are compared byte by byte: nothing is normalised.
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

  /// The same of bytes, such as came in a message.
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
