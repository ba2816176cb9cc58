import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Carriers that no honest process fills. They end the wire that brought them and nothing else, and nobody waits.
@Suite struct HostileCarrierTests {
  /// A socket pair that the test fills as it likes.
  private final class Forged {
    let reading: PacketSocket
    private var writing: PacketSocket?

    init() throws {
      let pair = try PacketSocket.pair()
      reading = pair.first
      let second = pair.second
      writing = consume second
    }

    var number: CInt { reading.descriptor.number }

    func put(_ bytes: [UInt8], _ descriptors: [CInt] = []) throws {
      check(try writing!.send(head: bytes, tail: nil, 0..<0, descriptors: descriptors))
    }

    func close() { writing = nil }
  }

  private func carry(
    _ bytes: [UInt8], _ descriptors: [CInt] = [], number: Int = 0, kind: CarrierHeader.Kind = .content
  ) -> [UInt8] {
    CarrierHeader(kind: kind, number: number, descriptors: descriptors.count).encoded() + bytes
  }

  private func seal(
    number: Int = 1, bytes: Int, descriptors: Int = 0, kind: CarrierHeader.Kind = .content
  ) -> [UInt8] {
    CarrierHeader(seal: kind, number: number, totalDescriptors: descriptors, totalBytes: bytes).encoded()
  }

  /// A forged carrier with these bytes and descriptors, rightly sealed.
  private func sealed(_ bytes: [UInt8], _ descriptors: [CInt] = []) throws -> Forged {
    let forged = try Forged()
    try forged.put(carry(bytes, descriptors), descriptors)
    try forged.put(seal(bytes: bytes.count, descriptors: descriptors.count))
    forged.close()
    return forged
  }

  private func expectTheEndOfOneWire(
    _ fault: FrameError?, _ forged: Forged, frame: [UInt8]? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try withExtendedLifetime(forged) {
      try expectTheEndOfOneWire(fault, forged.number, frame: frame, sourceLocation: sourceLocation)
    }
  }

  private func expectTheEndOfOneWire(
    _ fault: FrameError?, _ descriptor: CInt, frame: [UInt8]? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let port = try ReceiveRight()
    let good = try port.makeSendRight()
    let bad = try port.makeSendRight()
    var bytes = FrameHeader(kind: .message, rights: 1).encoded()
    RightEntry(kind: .receive, index: 0).append(to: &bytes)
    check(bad.inject(frame ?? bytes, descriptors: [descriptor]), sourceLocation: sourceLocation)
    check(good.post(1) == nil && port.next() == Received(id: 1), sourceLocation: sourceLocation)
    check(port.waiting() == nil && bad.isDeadName, sourceLocation: sourceLocation)
    if let fault {
      check(port.faults == [fault], "\(port.faults)", sourceLocation: sourceLocation)
    } else {
      check(port.faults.count == 1, "\(port.faults)", sourceLocation: sourceLocation)
    }
  }

  @Test func notSealed() throws {
    let image = PortImage().encoded()
    for isOpen in [true, false] {
      for isFilled in [true, false] {
        let forged = try Forged()
        if isFilled { try forged.put(carry(image)) }
        if !isOpen { forged.close() }
        try expectTheEndOfOneWire(.unexpected("a carrier without a seal"), forged)
      }
    }
    let empty = try Forged()
    check(RawSocket.sendNothing(on: empty.number))
    try expectTheEndOfOneWire(.unexpected("a carrier without a seal"), empty)
  }

  @Test func notACarrier() throws {
    for number in RawSocket.strangers() + [try EventCounter().descriptor.duplicate().relinquish()] {
      let stranger = Descriptor(owning: number)
      try expectTheEndOfOneWire(.unexpected("a descriptor that is not a carrier"), stranger.number)
    }
  }

  @Test func wrongPackets() throws {
    let image = PortImage().encoded()
    func expect(_ fault: FrameError, _ packets: [[UInt8]], sourceLocation: SourceLocation = #_sourceLocation) throws {
      let forged = try Forged()
      for packet in packets { try forged.put(packet) }
      try expectTheEndOfOneWire(fault, forged, sourceLocation: sourceLocation)
    }
    try expect(.shortFrame(bytes: 3), [[1, 1, 0]])
    try expect(.unknownVersion(2), [[2] + carry(image).dropFirst()])
    try expect(.unknownKind(3), [[1, 3] + carry(image).dropFirst(2)])
    try expect(.nonZeroReserved, [[1, 1, 2] + carry(image).dropFirst(3)])
    try expect(.badDescriptorTable, [carry([])])
    try expect(.badDescriptorTable, [seal(bytes: 0) + [1]])
    try expect(.unexpected("a packet of another carrier"), [carry(image, number: 1)])
    try expect(.unexpected("a packet of another carrier"), [carry(image), carry(image)])
    try expect(.unexpected("a packet of another carrier"), [carry(image), seal(bytes: image.count, kind: .index)])
    try expect(.unexpected("a seal with other counts"), [carry(image), seal(bytes: image.count + 1)])
    try expect(.unexpected("a seal with other counts"), [carry(image), seal(bytes: image.count, descriptors: 1)])
    try expect(.unexpected("bytes in an index"), [carry([1], kind: .index)])
    try expect(.truncated, [carry([UInt8](repeating: 0, count: PacketBuffer.largeCapacity))])
    try expect(.unexpected("a moved port of this form"), [seal(number: 0, bytes: 0)])
    try expect(.descriptorCount(announced: 1, arrived: 0), [carry(image, [0])])
  }

  @Test func anIndexInAnIndex() throws {
    let inner = try Forged()
    try inner.put(seal(number: 0, bytes: 0, kind: .index))
    let outer = try Forged()
    try outer.put(carry([], [inner.number], kind: .index), [inner.number])
    try outer.put(seal(bytes: 0, descriptors: 1, kind: .index))
    try expectTheEndOfOneWire(.unexpected("an index in an index"), outer)
  }

  private let wire = PortImage.Wire(isSendOnce: false, payer: 0, lastStamp: 0, peerCookie: 0)

  @Test func wrongPorts() throws {
    var image = PortImage()
    try expectTheEndOfOneWire(.unexpected("a moved port of this form"), try sealed([1, 2, 3]))
    let counter = try EventCounter()
    let number = counter.descriptor.number
    try expectTheEndOfOneWire(.descriptorCount(announced: 0, arrived: 1), try sealed(image.encoded(), [number]))
    image.wires = [wire, wire]
    try expectTheEndOfOneWire(.descriptorCount(announced: 2, arrived: 1), try sealed(image.encoded(), [number]))
    let pair = try PacketSocket.pair()
    let end = pair.first.descriptor.number
    try expectTheEndOfOneWire(
      .unexpected("a wire that is here already"), try sealed(image.encoded(), [end, end]))
    image.wires = [wire]
    try expectTheEndOfOneWire(nil, try sealed(image.encoded(), [number]))
  }

  @Test func wrongPacketsInHand() throws {
    let pair = try PacketSocket.pair()
    let end = pair.first.descriptor.number
    func expect(
      _ fault: FrameError, _ bytes: [UInt8], isSendOnce: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      var image = PortImage()
      image.wires = [PortImage.Wire(isSendOnce: isSendOnce, payer: 0, lastStamp: 0, peerCookie: 0)]
      image.staged = [
        PortImage.Staged(
          wire: 0, rank: .min, sender: nil, firstDescriptor: 0, descriptors: 0, descriptorsWereLost: false, bytes: bytes
        )
      ]
      try expectTheEndOfOneWire(fault, try sealed(image.encoded(), [end]), sourceLocation: sourceLocation)
    }
    try expect(.shortFrame(bytes: 2), [1, 1])
    try expect(.unexpected("frame kind reply"), FrameHeader(kind: .reply).encoded())
    try expect(.unexpected("frame kind call"), FrameHeader(kind: .call).encoded(), isSendOnce: true)
    try expect(.descriptorCount(announced: 1, arrived: 0), FrameHeader(kind: .adopt).encoded())
  }

  /// They keep each other alive: what the port tells the holder of a moved wire gives them away.
  @Test func bothEndsOfOnePair() throws {
    let way = try ReceiveRight()
    let bad = try way.makeSendRight()
    do {
      let pair = try PacketSocket.pair()
      var image = PortImage()
      image.wires = [wire, wire]
      image.noSendersSync = 0
      let forged = try sealed(image.encoded(), [pair.first.descriptor.number, pair.second.descriptor.number])
      var bytes = FrameHeader(kind: .message, rights: 1).encoded()
      RightEntry(kind: .receive, index: 0).append(to: &bytes)
      check(bad.inject(bytes, descriptors: [forged.number]))
    }
    var received = try way.receive(timeout: .seconds(5))
    let port = try received.takeReceiveRight(at: 0)
    check(port.next()?.notification == .noSenders(makeSendCount: 0))
    check(port.faults == [.unexpected("frame kind adopted"), .unexpected("frame kind adopted")], "\(port.faults)")
  }

  // MARK: Arrays

  private func arrayFrame(rights: Int, kind: FrameKind = .message, flags: UInt16 = FrameHeader.hasCarrier) -> [UInt8] {
    var header = FrameHeader(kind: kind, rights: rights)
    header.frameSize = UInt32(FrameHeader.size)
    header.flags = flags
    return header.encoded()
  }

  private func table(_ kinds: [RightEntry.Kind]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, kind) in kinds.enumerated() { RightEntry(kind: kind, index: index).append(to: &bytes) }
    return bytes
  }

  @Test func wrongArrays() throws {
    let pair = try PacketSocket.pair()
    let end = pair.first.descriptor.number
    func expect(
      _ fault: FrameError, _ frame: [UInt8], _ bytes: [UInt8], _ descriptors: [CInt],
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try expectTheEndOfOneWire(
        fault, try sealed(bytes, descriptors), frame: frame, sourceLocation: sourceLocation)
    }
    let one = table([.send])
    try expect(.badSize(128, available: 64), arrayFrame(rights: 2), one, [end])
    try expect(.unexpected("so much in a carrier"), arrayFrame(rights: 1), one + one, [end])
    try expect(.unexpected("so much in a carrier"), arrayFrame(rights: 1), one, [end, end])
    try expect(.descriptorCount(announced: 0, arrived: 1), arrayFrame(rights: 1), table([.null]), [end])
    try expect(.badDescriptorTable, arrayFrame(rights: 2), one + one, [end, end])
    try expect(.unknownRight(9), arrayFrame(rights: 1), [9] + one.dropFirst(), [end])
    let flags = FrameHeader.hasCarrier | FrameHeader.hasReplyRight
    try expect(.unexpected("a reply right of this kind"), arrayFrame(rights: 1, flags: flags), one, [end])
    try expect(.badDescriptorTable, arrayFrame(rights: 0), one, [end])
    try expect(.badDescriptorTable, arrayFrame(rights: Limits.rightsPerMessage + 1), one, [end])
    try expect(.badDescriptorTable, arrayFrame(rights: 0, kind: .adopt), one, [end])
  }

  @Test func randomCarriersEndNoMoreThanTheirWire() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      var random = seed("HostileCarrierTests")
      do {
        let port = try ReceiveRight()
        let good = try port.makeSendRight()
        for round in 0..<1000 as Range<Int32> {
          let pair = try PacketSocket.pair()
          let wire = try PacketSocket.pair()
          var image = PortImage()
          image.wires = [PortImage.Wire(isSendOnce: random.chance(50), payer: 0, lastStamp: 0, peerCookie: 0)]
          var packets = [CarrierHeader(kind: .content, number: 0, descriptors: 1).encoded() + image.encoded()]
          packets.append(
            CarrierHeader(seal: .content, number: 1, totalDescriptors: 1, totalBytes: image.encoded().count).encoded())
          for _ in 0..<random.number(0...3) {
            let packet = random.number(0...1)
            packets[packet][random.number(0...packets[packet].count - 1)] = random.bytes(1)[0]
          }
          if random.chance(10) { packets.reverse() }
          for packet in packets {
            let count = packet.count > CarrierHeader.size ? 1 : 0
            check(
              try pair.second.send(
                head: packet, tail: nil, 0..<0,
                descriptors: [CInt](repeating: wire.first.descriptor.number, count: count)))
          }
          let bad = try port.makeSendRight()
          var frame = FrameHeader(kind: .message, id: -1, rights: 1).encoded()
          RightEntry(kind: .receive, index: 0).append(to: &frame)
          check(bad.inject(frame, descriptors: [pair.first.descriptor.number]))
          check(good.post(round) == nil)
          var seen: [Int32] = []
          while let next = port.waiting() { seen.append(next.id) }
          check(seen.filter { $0 != -1 } == [round])
        }
      }
      checkCensus(before)
    }
  }
}
