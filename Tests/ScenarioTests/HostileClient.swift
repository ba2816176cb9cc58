import Glibc
import LinuxSystem
import PortKit
import TestSupport
import Testing

/// A connection to the broker without the library: any bytes, any descriptors.
final class HostileClient {
  private let socket: PacketSocket

  init(_ stage: BrokerStage) throws { socket = try NamedSocket.connect(to: stage.address.path) }

  var number: CInt { socket.descriptor.number }

  func send(_ bytes: [UInt8], _ descriptors: [CInt] = []) throws {
    try socket.setSendBuffer(bytes: 1 << 20)
    #expect(try socket.send(head: bytes, tail: nil, 0..<0, descriptors: descriptors))
  }

  /// With one end of each pair; the pairs live until the packet is away.
  func send(_ bytes: [UInt8], with pairs: [Pair]) throws {
    try send(bytes, pairs.map(\.number))
    withExtendedLifetime(pairs) {}
  }

  /// The library refuses to, because it looks like the end.
  func sendEmpty() {
    let result = Glibc.send(number, nil, 0, CInt(MSG_NOSIGNAL))
    #expect(result == 0)
  }

  /// Whether the broker closed the connection.
  func isEnded(within limit: Duration) -> Bool {
    let deadline = Deadline(after: limit)
    while (try? waitForReadiness(of: number, .readable, until: deadline)) ?? false {
      if answer(within: .zero) == nil { return true }
    }
    return false
  }

  func isAnswered(within limit: Duration) -> Bool { answer(within: limit) != nil }

  /// Whether the broker did anything about this client: answered it or ended it.
  func isHeard(within limit: Duration) throws -> Bool {
    try waitForReadiness(of: number, .readable, until: Deadline(after: limit))
  }

  /// The next packet; nil at the end of the connection and of the time.
  func answer(within limit: Duration) -> [UInt8]? {
    guard (try? waitForReadiness(of: number, .readable, until: Deadline(after: limit))) ?? false else { return nil }
    var receiver = PacketReceiver()
    guard case .packet(let buffer, _)? = try? receiver.receive(from: socket) else { return nil }
    let bytes = buffer.bytes(0..<buffer.count)
    return bytes.indices.map { bytes[$0] }
  }
}

/// Two sockets that are a wire.
final class Pair {
  private let sockets: PacketSocketPair

  init() throws { sockets = try PacketSocket.pair() }

  var number: CInt { sockets.first.descriptor.number }
}

/// A frame as bytes, right or wrong.
struct Frame {
  var kind: UInt8
  var id: Int32
  var sequence: UInt64 = 1
  var rights: [[UInt8]] = []
  var body: [UInt8] = []

  init(kind: UInt8, id: Int32) {
    self.kind = kind
    self.id = id
  }

  var bytes: [UInt8] {
    var writer = MessageWriter()
    writer.write(UInt8(1))
    writer.write(kind)
    writer.write(UInt16(0))
    writer.write(UInt32(32 + rights.count * 64 + body.count))
    writer.write(id)
    writer.write(UInt16(rights.count))
    writer.write(UInt16(0))
    writer.write(sequence)
    writer.write(UInt64(0))
    return writer.bytes + rights.flatMap(\.self) + body
  }

  static func sendRight(_ index: Int) -> [UInt8] {
    var writer = MessageWriter()
    writer.write(UInt8(1))
    writer.write(UInt8(17))
    // Eight copies and five messages may be under way.
    writer.write(UInt16(8))
    writer.write(UInt32(index))
    writer.write(UInt64(0))
    writer.write(UInt64(5))
    for _ in 0..<5 { writer.write(UInt64(0)) }
    return writer.bytes
  }

  /// The body of requests to the name server.
  static func name(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    var writer = MessageWriter()
    writer.write(UInt16(bytes.count))
    return writer.bytes + bytes + [UInt8](repeating: 0, count: 8)
  }

  static func name(_ text: String) -> [UInt8] { name(text.utf8) }
}
