/// A message that begins and ends with its number, with a fixed pattern between.
enum Payload {
  static func make(_ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: $0 * 131 + ($0 >> 8) * 17 + 7) }
  }

  static func stamp(_ bytes: inout [UInt8], _ number: UInt64) {
    store(number, in: &bytes, at: 0)
    store(~number, in: &bytes, at: bytes.count - 8)
  }

  /// Both ends always, the whole in every 32nd message.
  static func check(_ body: Span<UInt8>, _ expected: [UInt8], _ number: UInt64) {
    verify(body.count == expected.count, "\(body.count) bytes instead of \(expected.count)")
    verify(load(body, at: 0) == number && load(body, at: body.count - 8) == ~number, "reply to another request")
    if number % 32 != 1 { return }
    for index in 0..<body.count { verify(body[index] == expected[index], "byte \(index) of message \(number)") }
  }

  private static func store(_ value: UInt64, in bytes: inout [UInt8], at offset: Int) {
    for index in 0..<8 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
  }

  private static func load(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
    (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[offset + $1]) << (8 * $1) }
  }
}
