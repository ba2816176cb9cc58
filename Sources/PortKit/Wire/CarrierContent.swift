import LinuxSystem

/// What was in a carrier. Comes from another process: everything is counted and bounded, and nothing is waited for,
/// since an honest carrier is sealed before it leaves.
struct CarrierContent: ~Copyable {
  private(set) var bytes: [UInt8] = []
  let descriptors = DescriptorList(owning: [])
  /// False when this process had no room for some descriptor: its place is empty, or the content is cut short.
  private(set) var isComplete = true

  private let mostBytes: Int
  private let mostDescriptors: Int
  private var receiver = PacketReceiver()

  init(reading descriptor: consuming Descriptor, mostBytes: Int, mostDescriptors: Int) throws(FrameError) {
    self.mostBytes = mostBytes
    self.mostDescriptors = mostDescriptors
    let index = DescriptorList(owning: [])
    if try read(descriptor, index: index) == .content { return }
    for place in 0..<index.count {
      guard let part = index.take(place) else {
        isComplete = false
        return
      }
      guard try read(part, index: nil) == .content else { throw .unexpected("an index in an index") }
    }
  }

  /// Reads one carrier up to its seal. The descriptors of an index go into `index`.
  private mutating func read(
    _ descriptor: consuming Descriptor, index: DescriptorList?
  ) throws(FrameError) -> CarrierHeader.Kind {
    let socket = PacketSocket(descriptor)
    guard (try? socket.cookie()) != nil else { throw .unexpected("a descriptor that is not a carrier") }
    var kind: CarrierHeader.Kind?
    var (number, totalBytes, totalDescriptors): (UInt32, Int, Int) = (0, 0, 0)
    while true {
      let (buffer, list) = try nextPacket(of: socket)
      let header = try CarrierHeader(decoding: buffer.bytes(0..<buffer.count))
      guard header.number == number, kind == nil || header.kind == kind else {
        throw .unexpected("a packet of another carrier")
      }
      kind = header.kind
      number += 1
      try checkCount(Int(header.descriptors), arrived: list?.count ?? 0)
      if header.isSeal {
        guard header.totalBytes == totalBytes, header.totalDescriptors == totalDescriptors else {
          throw .unexpected("a seal with other counts")
        }
        return header.kind
      }
      totalBytes += buffer.count - CarrierHeader.size
      totalDescriptors += Int(header.descriptors)
      try take(buffer, list, header, index: index)
    }
  }

  private mutating func nextPacket(
    of socket: borrowing PacketSocket
  ) throws(FrameError) -> (PacketBuffer, DescriptorList?) {
    let arrival: PacketArrival
    do { arrival = try receiver.receive(from: socket) } catch { throw .unexpected("an unreadable carrier (\(error))") }
    guard case .packet(let buffer, let list) = arrival else { throw .unexpected("a carrier without a seal") }
    if receiver.isTruncated { throw .truncated }
    return (buffer, list)
  }

  private mutating func checkCount(_ announced: Int, arrived: Int) throws(FrameError) {
    if announced == arrived { return }
    guard receiver.lostDescriptors, arrived < announced else {
      throw .descriptorCount(announced: announced, arrived: arrived)
    }
    isComplete = false
  }

  private mutating func take(
    _ buffer: PacketBuffer, _ list: DescriptorList?, _ header: CarrierHeader, index: DescriptorList?
  ) throws(FrameError) {
    if header.kind == .index {
      guard let index, buffer.count == CarrierHeader.size else { throw .unexpected("bytes in an index") }
      index.append(list, count: Int(header.descriptors))
      guard index.count <= mostDescriptors else { throw .badDescriptorTable }
      return
    }
    descriptors.append(list, count: Int(header.descriptors))
    let part = buffer.bytes(CarrierHeader.size..<buffer.count)
    guard bytes.count + part.count <= mostBytes, descriptors.count <= mostDescriptors else {
      throw .unexpected("so much in a carrier")
    }
    bytes.append(contentsOf: part)
  }
}

extension [UInt8] {
  mutating func append(contentsOf part: Span<UInt8>) {
    reserveCapacity(count + part.count)
    for index in part.indices { append(part[index]) }
  }
}
