import LinuxSystem

/// A port that is packed to leave; the mailbox has it as well until the message is gone.
final class PackedPort: Sendable {
  let mailbox: Mailbox
  let carrier: Carrier
  /// Takes the place of wires whose reply rights are still in this process.
  private let dead: PacketSocket

  init(_ mailbox: Mailbox, _ carrier: Carrier) throws(Errno) {
    self.mailbox = mailbox
    self.carrier = carrier
    let pair = try PacketSocket.pair()
    dead = pair.first
  }

  func depart() {
    try? mailbox.locked { (state) throws(PortError) in state.depart(leaving: dead) }
  }
}

extension Mailbox {
  /// Nothing may be received from the port between this and its departure, so that what was packed is what is there.
  /// Senders go on: their mail lies in the wires, which travel.
  func pack(owner: UInt64) throws(PortError) -> PackedPort {
    let (image, numbers) = try withState(of: owner) { (state) throws(PortError) -> (PortImage, [CInt]) in
      try state.checkMovable()
      do throws(Errno) {
        try state.settleCopiesBeforeMove()
        return try state.image()
      } catch {
        throw PortError(error)
      }
    }
    if image.sendOnceNotices > Limits.movedNotices {
      throw .tooManyRights(count: image.sendOnceNotices, limit: Limits.movedNotices)
    }
    let bytes = image.encoded()
    if bytes.count > Limits.movedPort { throw .messageTooLarge(bytes: bytes.count, limit: Limits.movedPort) }
    return try translatingErrno { () throws(Errno) -> PackedPort in
      try PackedPort(self, try Carrier.filled(bytes, numbers))
    }
  }

  /// A port that came in a carrier. Nil when this process had no room for all of it.
  static func unpacked(_ descriptor: consuming Descriptor, mover: Credentials?) throws(FrameError) -> Mailbox? {
    let content = try CarrierContent(
      reading: descriptor, mostBytes: Limits.movedPort, mostDescriptors: Limits.carriedDescriptors)
    if !content.isComplete { return nil }
    let image = try PortImage(decoding: content.bytes)
    guard content.descriptors.count == image.descriptors else {
      throw .descriptorCount(announced: image.descriptors, arrived: content.descriptors.count)
    }
    guard let mailbox = try? Mailbox() else { return nil }
    let descriptors = content.descriptors
    let isWhole = try mailbox.state.withLock { (state) throws(FrameError) in
      try state.restore(image, descriptors, mover: mover)
    }
    return isWhole ? mailbox : nil
  }

  /// True when what is sent on this socket arrives here, as far as the makers of the wires said. False is no proof: the
  /// holders of copies say nothing.
  func isReached(by socket: borrowing PacketSocket) -> Bool {
    guard let cookie = try? socket.cookie() else { return false }
    return state.withLock { state in state.wires.keys.contains { state.wires[$0]?.end.peerCookie == cookie } }
  }
}
