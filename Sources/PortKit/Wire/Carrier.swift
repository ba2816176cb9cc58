import LinuxSystem

/// Bytes and descriptors of any number, on their way behind one descriptor: a socket pair that was filled, sealed by a
/// last packet with the counts, and closed on the writing side, all before its reading end leaves. So they arrive
/// together or not at all, whoever is killed when. What one socket's buffer does not hold goes into several carriers
/// behind one more, the index.
///
/// The descriptors are the sender's as well until it closes them, so a refused message loses nothing.
final class Carrier: Sendable {
  /// The end to read.
  let socket: PacketSocket

  private init(_ socket: consuming PacketSocket) { self.socket = socket }

  static func filled(_ bytes: [UInt8], _ descriptors: [CInt]) throws(Errno) -> Carrier {
    let parts = try filled(.content, CarrierLoad(bytes: bytes, descriptors: descriptors))
    if parts.count == 1 { return parts[0] }
    let index = CarrierLoad(bytes: [], descriptors: parts.map { $0.socket.descriptor.number })
    let heads = try filled(.index, index)
    guard heads.count == 1 else { throw .noBufferSpace }
    return heads[0]
  }

  private static func filled(_ kind: CarrierHeader.Kind, _ load: CarrierLoad) throws(Errno) -> [Carrier] {
    var carriers: [Carrier] = []
    var next = 0
    repeat { carriers.append(try fill(kind, load, from: &next)) } while next < load.packets
    return carriers
  }

  /// Puts packets of the load from `next` on into a fresh pair, as many as fit.
  private static func fill(_ kind: CarrierHeader.Kind, _ load: CarrierLoad, from next: inout Int) throws(Errno)
    -> Carrier
  {
    let pair = try PacketSocket.pair()
    let writing = pair.second
    try writing.setSendBuffer(bytes: Limits.carrierSendBuffer)
    let most = try writing.sendBuffer()
    try writing.setSendBuffer(bytes: max(most - Limits.carrierSealRoom, most / 2))
    let first = next
    var (bytes, descriptors) = (0, 0)
    while next < load.packets {
      let header = CarrierHeader(kind: kind, number: next - first, descriptors: load.descriptors(next).count)
      let head = header.encoded() + load.bytes(next)
      guard try writing.send(head: head, tail: nil, 0..<0, descriptors: Array(load.descriptors(next))) else { break }
      bytes += load.bytes(next).count
      descriptors += load.descriptors(next).count
      next += 1
    }
    if next == first && load.packets > 0 { throw .noBufferSpace }
    try writing.setSendBuffer(bytes: most)
    let seal = CarrierHeader(seal: kind, number: next - first, totalDescriptors: descriptors, totalBytes: bytes)
    guard try writing.send(head: seal.encoded(), tail: nil, 0..<0, descriptors: []) else { throw .noBufferSpace }
    return Carrier(pair.first)
  }
}

/// What goes into carriers, cut into packets.
struct CarrierLoad {
  let bytes: [UInt8]
  let descriptors: [CInt]

  var packets: Int {
    let batch = Limits.rightsPerPacket
    return max(
      (bytes.count + Limits.carrierPacket - 1) / Limits.carrierPacket, (descriptors.count + batch - 1) / batch)
  }

  func bytes(_ packet: Int) -> ArraySlice<UInt8> {
    bytes.dropFirst(packet * Limits.carrierPacket).prefix(Limits.carrierPacket)
  }

  func descriptors(_ packet: Int) -> ArraySlice<CInt> {
    descriptors.dropFirst(packet * Limits.rightsPerPacket).prefix(Limits.rightsPerPacket)
  }
}
