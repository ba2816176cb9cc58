import LinuxSystem

/// A port that is packed to leave; the mailbox has it as well until the message is gone.
final class PackedPort: Sendable {
  let mailbox: Mailbox
  let carrier: Carrier
  private let number: UInt64
  /// Takes the place of wires whose reply rights are still in this process.
  private let dead: PacketSocket

  init(_ mailbox: Mailbox, _ carrier: Carrier, _ number: UInt64) throws(Errno) {
    self.mailbox = mailbox
    self.carrier = carrier
    self.number = number
    let pair = try PacketSocket.pair()
    dead = pair.first
  }

  /// It did not leave.
  deinit { mailbox.stay(number) }

  func depart() {
    try? mailbox.locked { (state) throws(PortError) in
      state.depart(leaving: dead)
      state.turnWaitersAway()
      state.settleBell(.owner)
    }
    mailbox.state.notifyAll()
  }
}

extension Mailbox {
  /// Nothing is taken in hand between this and the port's departure, so that what was packed is what is there: a thread
  /// may still come back from its sleep in the kernel. Senders go on: their mail lies in the wires, which travel.
  func pack(owner: UInt64) throws(PortError) -> PackedPort {
    let (image, numbers, number) = try withState(of: owner) {
      (state) throws(PortError) -> (PortImage, [CInt], UInt64) in
      try state.checkMovable()
      if state.kept.isInUse { throw .keepsPorts }
      try translatingErrno { () throws(Errno) in try state.settleCopiesBeforeMove() }
      try state.settleKeeper()
      return try translatingErrno { () throws(Errno) -> (PortImage, [CInt], UInt64) in
        let (image, numbers) = try state.image(isMove: true)
        state.packed += 1
        state.departure = state.packed
        return (image, numbers, state.packed)
      }
    }
    do throws(PortError) {
      return try packed(image, numbers, number)
    } catch {
      stay(number)
      throw error
    }
  }

  private func packed(_ image: PortImage, _ numbers: [CInt], _ number: UInt64) throws(PortError) -> PackedPort {
    if image.sendOnceNotices > Limits.movedNotices {
      throw .tooManyRights(count: image.sendOnceNotices, limit: Limits.movedNotices)
    }
    let bytes = image.encoded()
    if bytes.count > Limits.movedPort { throw .messageTooLarge(bytes: bytes.count, limit: Limits.movedPort) }
    return try translatingErrno { () throws(Errno) -> PackedPort in
      try PackedPort(self, try Carrier.filled(bytes, numbers), number)
    }
  }

  /// The port packed under this number does not leave.
  func stay(_ number: UInt64) {
    try? withState(of: nil) { (state) throws(PortError) in
      guard state.departure == number else { return }
      state.departure = nil
      state.settleBell(.stranger)
    }
    state.notifyAll()
    serveTasks()
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
    let keys = try mailbox.state.withLock { (state) throws(FrameError) in
      try state.restore(image, descriptors, mover: mover)
    }
    return keys == nil ? nil : mailbox
  }

  /// True when what is sent on this socket arrives here, as far as the makers of the wires said and the maker of a copy
  /// in this process knows. False is no proof. What other holders of copies say is not asked for: it could keep the
  /// owner from moving its port.
  func isReached(by socket: borrowing PacketSocket, _ peerCookie: UInt64 = 0) -> Bool {
    guard let cookie = try? socket.cookie() else { return false }
    return state.withLock { state in
      if peerCookie != 0 && state.wires.contains(cookie: peerCookie) { return true }
      return state.wires.keys.contains { state.wires[$0]?.end.peerCookie == cookie }
    }
  }
}
