import LinuxSystem

@testable import PortKit

/// Turns any bytes into what a foreign program may do to a wire, from both of its ends, and ends the process when a
/// promise is broken. `make fuzz` looks for such bytes; a unit test repeats those that are kept.
///
/// The first byte chooses: a packet for the decoder alone, or a history of steps.
enum WireFuzzer {
  /// - Parameter isAlone: nobody else in the process opens descriptors, as the test library does when it likes.
  static func run(_ input: [UInt8], isAlone: Bool = true) {
    var bytes = Bytes(input)
    let before = lowestFreeNumber()
    if bytes.next() % 4 == 0 { decode(&bytes) } else { History.play(&bytes) }
    precondition(!isAlone || lowestFreeNumber() == before, "a descriptor was left open, or closed twice")
  }

  /// Input that never ends: zeros follow.
  struct Bytes {
    private let all: [UInt8]
    private var position = 0

    init(_ all: [UInt8]) { self.all = all }

    var isAtEnd: Bool { position >= all.count }

    mutating func next() -> UInt8 {
      defer { position += 1 }
      return position < all.count ? all[position] : 0
    }

    mutating func next(below bound: Int) -> Int { Int(next()) % bound }

    mutating func take(_ count: Int) -> [UInt8] {
      defer { position += count }
      return Array(all.dropFirst(position).prefix(count))
    }

    /// Bytes as they are, or a frame with a good header of which at most one byte is changed.
    mutating func packet() -> [UInt8] {
      let style = next(below: 4)
      if style == 0 { return take(next(below: 100)) }
      let kind = FrameKind.allCases[next(below: FrameKind.allCases.count)]
      let rights = next(below: 4)
      let body = next(below: 8)
      let number = UInt64(next(below: 4))
      var packet = FrameHeader(kind: kind, bodySize: body, id: 5, rights: rights, sequence: number).encoded()
      let first = next(below: 3)
      for index in 0..<rights {
        RightEntry(kind: next() % 2 == 0 ? .send : .sendOnce, index: first + index - 1 < 0 ? 0 : first + index - 1)
          .append(to: &packet)
      }
      packet += take(body)
      if style == 1 { packet[next(below: packet.count)] = next() }
      if style == 2, next() % 4 == 0 { packet += self.packet() }
      return packet
    }
  }

  private static func decode(_ bytes: inout Bytes) {
    let count = bytes.next(below: 8)
    let wereLost = bytes.next() % 2 == 0
    var packet: [UInt8] = []
    while !bytes.isAtEnd, packet.count < 4000 { packet += bytes.packet() }
    let buffer = PacketBuffer.take(capacity: packet.count)
    buffer.copy(packet, to: 0)
    var decoder = PacketDecoder(size: packet.count, descriptorCount: count, descriptorsWereLost: wereLost)
    while let frame = try? decoder.next(buffer) {
      precondition(frame.body.upperBound <= packet.count && frame.table.upperBound <= frame.body.lowerBound)
      if !frame.header.kind.isUserMessage { continue }
      guard let message = try? Message(frame, buffer, nil, sender: nil, reply: nil) else { continue }
      precondition(message.body.count == frame.body.count)
    }
  }

  private static func lowestFreeNumber() -> CInt { (try? EventCounter().descriptor.number) ?? -1 }
}
