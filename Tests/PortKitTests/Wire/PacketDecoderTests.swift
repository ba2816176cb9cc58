import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct PacketDecoderTests {
  /// The frames of a packet, or why it is none.
  private func decode(
    _ bytes: [UInt8], descriptors: Int = 0, lost: Bool = false
  ) -> Result<[FrameHeader], FrameError> {
    let buffer = PacketBuffer.take(capacity: bytes.count)
    buffer.copy(bytes, to: 0)
    buffer.count = bytes.count
    var decoder = PacketDecoder(size: bytes.count, descriptorCount: descriptors, descriptorsWereLost: lost)
    return Result { () throws(FrameError) in
      var headers: [FrameHeader] = []
      while let frame = try decoder.next(buffer) {
        let parts = [frame.table, frame.body]
        for part in parts where part.lowerBound < 0 || part.upperBound > bytes.count {
          Issue.record("\(part) is outside of a packet of \(bytes.count) bytes")
        }
        headers.append(frame.header)
      }
      return headers
    }
  }

  private func frame(
    _ kind: FrameKind = .message, body: Int = 0, rights: [RightEntry.Kind] = [], first: Int = 0, flags: UInt16 = 0
  ) -> [UInt8] {
    var header = FrameHeader(kind: kind, bodySize: body, id: 9, rights: rights.count, sequence: 1)
    header.flags = flags
    var bytes = header.encoded()
    for (index, right) in rights.enumerated() { RightEntry(kind: right, index: first + index).append(to: &bytes) }
    return bytes + [UInt8](repeating: 0xaa, count: body)
  }

  private func error(_ bytes: [UInt8], descriptors: Int = 0) -> FrameError? {
    guard case .failure(let error) = decode(bytes, descriptors: descriptors) else { return nil }
    return error
  }

  @Test func packetsOfOneAndOfSeveralFrames() throws {
    #expect(try decode(frame()).get().count == 1)
    #expect(try decode(frame(body: Limits.inlineBody)).get().count == 1)
    let many = frame(rights: [.send]) + frame(.adopt) + frame(.reply, body: 3, rights: [.sendOnce, .send], first: 2)
    #expect(try decode(many, descriptors: 4).get().map(\.kind) == [.message, .adopt, .reply])
    #expect(try decode(frame(rights: [.sendOnce], flags: 1), descriptors: 1).get().count == 1)
    #expect(try decode(frame(.reply, rights: [.sendOnce], flags: 1), descriptors: 1).get().count == 1)
  }

  @Test func eachWayOfBeingWrong() {
    #expect(error([]) == .empty)
    #expect(error(frame(body: Limits.inlineBody + 1)) == .bodyTooLarge(Limits.inlineBody + 1))
    #expect(error(frame() + [0]) == .shortFrame(bytes: 1))
    #expect(error(frame(.adopt, body: 1), descriptors: 1) == .unexpected("data in a control frame"))
    #expect(error(frame(.replyDropped, flags: 1)) == .unexpected("data in a control frame"))
    #expect(error(frame(.adopt, rights: [.send]), descriptors: 1) == .unexpected("data in a control frame"))
    #expect(error(frame(flags: 4)) == .nonZeroReserved)
    #expect(
      error(frame(.call, rights: [.sendOnce], flags: 1), descriptors: 1) == .unexpected("a reply right of this kind"))
    #expect(error(frame(rights: [.send], flags: 1), descriptors: 1) == .unexpected("a reply right of this kind"))
    #expect(error(frame(rights: [.send], first: 1), descriptors: 1) == .badDescriptorTable)
    let most = [RightEntry.Kind](repeating: .send, count: 254)
    #expect(error(frame(rights: most), descriptors: 254) == .badDescriptorTable)
    #expect(error(frame(), descriptors: 1) == .descriptorCount(announced: 0, arrived: 1))
    #expect(error(frame(.adopt)) == .descriptorCount(announced: 1, arrived: 0))
    #expect(error(frame(rights: [.send, .send]), descriptors: 1) == .descriptorCount(announced: 2, arrived: 1))
  }

  @Test func lostDescriptorsAreNotTheSendersFault() throws {
    let bytes = frame(rights: [.send, .send])
    #expect(try decode(bytes, descriptors: 1, lost: true).get().count == 1)
    #expect(try decode(bytes, descriptors: 0, lost: true).get().count == 1)
  }

  @Test func aPacketCutAnywhereIsRefused() {
    let whole = frame(body: 20, rights: [.send, .sendOnce])
    for count in 1..<FrameHeader.size { #expect(error(Array(whole[..<count])) == .shortFrame(bytes: count)) }
    for count in FrameHeader.size..<whole.count {
      #expect(error(Array(whole[..<count]), descriptors: 2) == .badSize(UInt32(whole.count), available: count))
    }
    var short = whole
    short[4] = UInt8(FrameHeader.size + 2 * RightEntry.size - 1)
    #expect(error(short, descriptors: 2) == .badSize(159, available: whole.count))
  }

  @Test func randomAndMutatedPacketsNeverTrap() {
    var random = seed("PacketDecoderTests")
    let valid = [
      frame(body: 100), frame(rights: [.send, .sendOnce]) + frame(.adopt), frame(rights: [.sendOnce], flags: 1),
      frame(.call, body: 8) + frame(.reply, body: 3, rights: [.send]) + frame(.replyDropped),
    ]
    var refused = 0
    for round in 0..<20_000 {
      var bytes = round % 2 == 0 ? random.bytes(random.number(0...200)) : valid[random.number(0...valid.count - 1)]
      if round % 2 == 1 {
        for _ in 0..<random.number(1...4) {
          bytes[random.number(0...bytes.count - 1)] = UInt8(truncatingIfNeeded: random.next())
        }
        if random.chance(20) { bytes.removeLast(random.number(1...bytes.count)) }
      }
      if case .failure = decode(bytes, descriptors: random.number(0...4), lost: random.chance(20)) { refused += 1 }
    }
    #expect(refused > 10_000)
  }
}
