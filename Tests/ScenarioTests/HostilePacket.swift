import Glibc
import LinuxSystem
import PortKit
import TestSupport
import Testing

/// One way to break the protocol, and the broker's word for it.
struct HostilePacket: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let reason: String
  let send: @Sendable (HostileClient) throws -> Void

  private init(_ name: String, _ reason: String, _ send: @escaping @Sendable (HostileClient) throws -> Void) {
    testDescription = name
    self.reason = reason
    self.send = send
  }

  static let all: [HostilePacket] = packets + frames + descriptors

  private static let packets = [
    HostilePacket("an empty packet", "empty packet") { $0.sendEmpty() },
    HostilePacket("one byte", "frame of 1 bytes is shorter than its header") { try $0.send([1]) },
    HostilePacket("text", "protocol version 71 is not known") {
      try $0.send(Array("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n".utf8))
    },
    HostilePacket("zeros", "protocol version 0 is not known") { try $0.send([UInt8](repeating: 0, count: 4096)) },
    HostilePacket("a frame cut off", "frame says 132 bytes, packet has 96") {
      var frame = Frame(kind: 2, id: 0x5002)
      frame.body = [UInt8](repeating: 0, count: 100)
      try $0.send(Array(frame.bytes.prefix(96)))
    },
    HostilePacket("a header cut off", "frame of 31 bytes is shorter than its header") {
      try $0.send(Array(Frame(kind: 2, id: 0x5002).bytes.prefix(31)))
    },
    HostilePacket("a body over the limit", "body of 65537 bytes is over the limit") {
      var frame = Frame(kind: 2, id: 0x5002)
      frame.body = [UInt8](repeating: 0, count: 64 * 1024 + 1)
      try $0.send(frame.bytes)
    },
    HostilePacket("a packet over the limit", "oversized packet") {
      try $0.send([UInt8](repeating: 1, count: 100 * 1024))
    },
    HostilePacket("something behind the frame", "frame of 3 bytes is shorter than its header") {
      try $0.send(Frame(kind: 2, id: 0x5002).bytes + [1, 2, 3])
    },
  ]

  private static let frames = [
    HostilePacket("a frame of no kind", "frame kind 99 is not known") { try $0.send(Frame(kind: 99, id: 1).bytes) },
    HostilePacket("a reply", "frame kind reply is not allowed here") { try $0.send(Frame(kind: 3, id: 1).bytes) },
    HostilePacket("a dropped reply", "frame kind replyDropped is not allowed here") {
      try $0.send(Frame(kind: 4, id: 0).bytes)
    },
    HostilePacket("an adopted wire", "frame kind adopt is not allowed here") {
      try $0.send(Frame(kind: 5, id: 0).bytes, with: [Pair()])
    },
    HostilePacket("an adopted reply", "frame kind adoptReply is not allowed here") {
      try $0.send(Frame(kind: 6, id: 0).bytes, with: [Pair()])
    },
    HostilePacket("a message that nobody knows", "message 4711 is not known") {
      try $0.send(Frame(kind: 1, id: 4711).bytes)
    },
    HostilePacket("a delivery to the broker", "message hidEvents is not for the broker") {
      try $0.send(Frame(kind: 2, id: 21_060).bytes)
    },
  ]

  private static let descriptors = [
    HostilePacket("253 descriptors for nothing", "0 descriptors announced, 253 arrived") {
      try $0.send(Frame(kind: 2, id: 0x5002).bytes, Array(repeating: $0.number, count: 253))
    },
    HostilePacket("a right without a descriptor", "1 descriptors announced, 0 arrived") {
      var frame = Frame(kind: 2, id: 0x5000)
      frame.rights = [Frame.sendRight(0)]
      try $0.send(frame.bytes)
    },
    HostilePacket("a file for a port", "a descriptor that is not a wire is not allowed here") {
      var frame = Frame(kind: 2, id: 0x5000)
      frame.body = Frame.name("org.example.file")
      frame.rights = [Frame.sendRight(0)]
      // Standard input: whatever it is, it is no wire.
      try $0.send(frame.bytes, [0])
    },
    HostilePacket("a place in the file system for a port", "a descriptor that is not a wire is not allowed here") {
      var frame = Frame(kind: 2, id: 0x5000)
      frame.body = Frame.name("org.example.place")
      frame.rights = [Frame.sendRight(0)]
      let place = RawSocket.place()
      defer { close(place) }
      try $0.send(frame.bytes, [place])
    },
    HostilePacket("a right of no kind", "right kind 7 is not known") {
      var frame = Frame(kind: 2, id: 0x5000)
      frame.rights = [[7] + Frame.sendRight(0).dropFirst()]
      try $0.send(frame.bytes, [$0.number])
    },
    HostilePacket("a right of another packet", "descriptor table does not fit the frame") {
      var frame = Frame(kind: 2, id: 0x5000)
      frame.rights = [Frame.sendRight(1)]
      try $0.send(frame.bytes, [$0.number])
    },
  ]
}
