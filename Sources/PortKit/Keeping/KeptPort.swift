import LinuxSystem

/// A port of somebody else as its keeper has it: duplicates of its wires, from which nothing is read, and what its owner
/// told. Goes with its control wire: an owner whose keeper lets go has an ordinary port again.
final class KeptPort {
  let control: ControlWire
  private var state = KeptState()
  /// Under the numbers of the wires, each a list of one.
  private var wires: [UInt32: DescriptorList] = [:]
  private var staged = DescriptorList(owning: [])
  private var receiver = PacketReceiver()

  init(_ control: ControlWire) { self.control = control }

  var wireCount: Int { wires.count }

  enum Turn {
    case more
    case nothing
    /// Its owner is gone.
    case orphan
  }

  /// Takes one piece of news. Throws when it makes no sense, or this process lacks descriptors for it.
  func read() throws(FrameError) -> Turn {
    let arrival: PacketArrival
    do { arrival = try receiver.receive(from: control.socket) } catch { throw .unreadable(error.description) }
    switch arrival {
    case .nothing: return .nothing
    case .end:
      if !state.hasImage { throw .unexpected("a kept port without an image") }
      return .orphan
    case .packet(let buffer, let descriptors):
      if receiver.isTruncated { throw .truncated }
      var bytes: [UInt8] = []
      bytes.append(contentsOf: buffer.bytes(0..<buffer.count))
      let news = try KeepNews(decoding: bytes)
      let arrived = descriptors?.count ?? 0
      guard arrived == news.descriptors else {
        throw .descriptorCount(announced: news.descriptors, arrived: arrived)
      }
      try take(news, descriptors)
      return .more
    }
  }

  private func take(_ news: KeepNews, _ descriptors: DescriptorList?) throws(FrameError) {
    if case .image(let isLast) = news {
      guard let carrier = descriptors?.take(0) else { throw .descriptorCount(announced: 1, arrived: 0) }
      return try replace(by: carrier, isLast: isLast)
    }
    guard state.apply(news) else { throw .unexpected("news of a kept port that do not fit") }
    switch news {
    case .added(let number, _): wires[number] = descriptors
    case .removed(let number, _): wires[number] = nil
    case .image, .progress, .settings: break
    }
  }

  private func replace(by carrier: consuming Descriptor, isLast: Bool) throws(FrameError) {
    let content = try CarrierContent(
      reading: carrier, mostBytes: Limits.movedPort, mostDescriptors: Limits.carriedDescriptors)
    let image = try PortImage(decoding: content.bytes)
    guard content.isComplete, content.descriptors.count == image.descriptors, !image.hasKeeper,
      image.wires.count <= Limits.keptWires
    else { throw .descriptorCount(announced: image.descriptors, arrived: content.descriptors.count) }
    wires = [:]
    for place in image.wires.indices { wires[UInt32(place)] = Self.list(of: place, content.descriptors) }
    staged = DescriptorList(owning: [])
    for place in image.wires.count..<image.descriptors {
      if let descriptor = content.descriptors.take(place) { staged.append(descriptor) }
    }
    state.replace(by: image, isLast: isLast)
  }

  private static func list(of place: Int, _ all: DescriptorList) -> DescriptorList {
    let list = DescriptorList(owning: [])
    if let descriptor = all.take(place) { list.append(descriptor) }
    return list
  }

  /// The port, for its next owner. Holders hear that the last one died, so that calls whose requests it had taken end.
  /// Nil when this process has no room.
  func inherit() throws(FrameError) -> Mailbox? {
    let legacy = state.legacy()
    let descriptors = DescriptorList(owning: [])
    for number in legacy.numbers {
      guard let descriptor = wires[number]?.take(0) else { return nil }
      descriptors.append(descriptor)
    }
    for place in 0..<staged.count { if let descriptor = staged.take(place) { descriptors.append(descriptor) } }
    guard descriptors.count == legacy.image.descriptors, let mailbox = try? Mailbox() else { return nil }
    let owner = try? control.socket.peerCredentials()
    let isWhole = try mailbox.state.withLock { (state) throws(FrameError) in
      guard let keys = try state.restore(legacy.image, descriptors, mover: owner) else { return false }
      state.take(over: legacy, keys, isOrderly: self.state.isLast)
      return true
    }
    return isWhole ? mailbox : nil
  }
}
