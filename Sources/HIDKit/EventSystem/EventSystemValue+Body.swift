import PortKit

extension EventSystemValue {
  /// Reads a whole message body: version, value, and nothing behind it.
  public init(body: Span<UInt8>) throws(EventSystemError) {
    var reader = MessageReader(body)
    let version: UInt8 = try reader.readNumber()
    guard version == EventSystemProtocol.version else { throw .unsupportedVersion(version) }
    try self.init(reading: &reader)
    do { try reader.expectEnd() } catch { throw .reading(error) }
  }

  /// The value as a whole message body.
  public func makeBody() -> [UInt8] {
    var writer = MessageWriter()
    writer.write(EventSystemProtocol.version)
    write(to: &writer)
    return writer.bytes
  }
}
