import PortKit
import TestSupport
import Testing

@Suite struct MessageReaderTests {
  @Test func whatWasWrittenIsRead() throws {
    var writer = MessageWriter()
    writer.write(UInt8(1))
    writer.write(Int16(-2))
    writer.write(UInt32.max)
    writer.write(Int64.min)
    writer.write(-0.5)
    writer.write(true)
    writer.write("Grüße 👋")
    writer.write("")
    #expect(Array(writer.bytes.prefix(7)) == [1, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff])
    var reader = MessageReader(writer.bytes.span)
    check(try reader.read(UInt8.self) == 1)
    check(try reader.read(Int16.self) == -2)
    check(try reader.read(UInt32.self) == .max)
    check(try reader.read(Int64.self) == .min)
    check(try reader.readDouble() == -0.5)
    check(try reader.readBool())
    check(try reader.readString() == "Grüße 👋")
    check(try reader.readString() == "")
    check(reader.remaining == 0 && reader.offset == writer.bytes.count)
    try reader.expectEnd()
  }

  private func failure(
    _ bytes: [UInt8], _ body: (inout MessageReader) throws(MessageReaderError) -> Void
  ) -> MessageReaderError? {
    var reader = MessageReader(bytes.span)
    do throws(MessageReaderError) {
      try body(&reader)
      return nil
    } catch {
      return error
    }
  }

  @Test func bytesThatAreNotWhatTheyShouldBe() {
    #expect(
      failure([1, 2, 3]) { (r) throws(MessageReaderError) in _ = try r.read(UInt32.self) }
        == .tooShort(offset: 0, needed: 4, available: 3))
    #expect(failure([2]) { (r) throws(MessageReaderError) in _ = try r.readBool() } == .invalidValue(2, offset: 0))
    #expect(
      failure([1, 0, 0, 0, 0xff]) { (r) throws(MessageReaderError) in _ = try r.readString() }
        == .invalidUTF8(offset: 4))
    #expect(
      failure([0xff, 0xff, 0xff, 0xff]) { (r) throws(MessageReaderError) in _ = try r.readString() }
        == .tooShort(offset: 4, needed: 0xffff_ffff, available: 0))
    #expect(failure([1]) { (r) throws(MessageReaderError) in try r.expectEnd() } == .trailingBytes(count: 1))
    #expect(
      failure([1]) { (r) throws(MessageReaderError) in _ = try r.readBytes(-1) } == .invalidValue(.max, offset: 0))
    #expect(
      failure([1]) { (r) throws(MessageReaderError) in _ = try r.readBytes(.max) }
        == .tooShort(offset: 0, needed: .max, available: 1))
  }

  @Test func aFailedReadMovesNothing() {
    let bytes: [UInt8] = [5, 0, 0, 0]
    var reader = MessageReader(bytes.span)
    _ = try? reader.read(UInt64.self)
    check(reader.offset == 0)
    check(try reader.read(UInt32.self) == 5)
  }

  @Test func randomBytesNeverTrap() {
    var random = seed("MessageReaderTests")
    for _ in 0..<5_000 {
      let bytes = random.bytes(random.number(0...24))
      var reader = MessageReader(bytes.span)
      for _ in 0..<4 {
        switch random.number(0...4) {
        case 0: _ = try? reader.readString()
        case 1: _ = try? reader.read(UInt64.self)
        case 2: _ = try? reader.readBool()
        case 3: _ = try? reader.readBytes(random.number(0...30))
        default: _ = try? reader.read(Int16.self)
        }
      }
      check(reader.offset <= bytes.count && reader.remaining >= 0)
    }
  }
}
