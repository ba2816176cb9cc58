import LinuxSystem

/// The keeper's side, and the first steps of the next owner.
extension MailboxState {
  /// An owner wants its port kept here. Where its right does not allow that, or nothing more can be kept, the control
  /// wire is closed at once, and the port stays an ordinary one.
  mutating func keep(_ descriptor: consuming Descriptor?, for slot: WireSlot) throws(FrameError) {
    guard let descriptor = consume descriptor, slot.powers.contains(.keeps), kept.count < Limits.keptPorts else {
      return
    }
    let control = ControlWire(PacketSocket(DescriptorReserve.movedOut(descriptor)))
    guard (try? control.socket.cookie()) != nil else { throw .unexpected("a descriptor that is not a wire") }
    let key = kept.insert(KeptPort(control))
    guard (try? shared.poller.add(control.socket.descriptor.number, .readable, key: key)) != nil else {
      return kept.remove(key)
    }
    readKept(key)
  }

  /// What owners say does not wait in the kernel longer than need be: it counts against their users.
  mutating func readKept(_ key: UInt64) {
    guard departure == nil, let port = kept[key] else { return }
    do throws(FrameError) {
      for _ in 0..<Limits.framesPerLook {
        switch try port.read() {
        case .more: continue
        case .nothing: return
        case .orphan:
          forgetKept(key)
          guard let mailbox = try port.inherit() else { return note(.unexpected("no room for a kept port")) }
          kept.add(orphan: ReceiveBox(ReceiveRight(unlisted: mailbox)))
          return post(.portDestroyed)
        }
      }
    } catch {
      forgetKept(key)
      note(error)
    }
  }

  private mutating func forgetKept(_ key: UInt64) {
    guard let port = kept[key] else { return }
    shared.poller.remove(port.control.socket.descriptor.number)
    kept.remove(key)
  }

  // MARK: The next owner

  /// - Parameter isOrderly: the last owner left nothing undone.
  mutating func take(over legacy: KeptState.Legacy, _ keys: [UInt64], isOrderly: Bool) {
    for (place, progress) in legacy.skips { skips[keys[place]] = progress }
    mayComeAgain = legacy.mayComeAgain.flatMap { wires[keys[$0]]?.cookie }
    if isOrderly { return }
    for key in keys {
      guard let end = wires[key]?.end, !end.isSendOnce else { continue }
      end.announceOwnersDeath()
      // What its owner took in and had not given back is unknown: rather too much than too little.
      _ = end.giveCopyCredit(Limits.creditBatch)
    }
  }

  /// Goes past the messages of a packet that an earlier owner handed out. False when none is left.
  mutating func skipDelivered(_ staged: inout StagedPacket, _ key: UInt64, _ slot: WireSlot) throws(FrameError) -> Bool
  {
    guard !skips.isEmpty, let skip = skips[key] else { return true }
    skips[key] = nil
    if skip.stamp != slot.lastStamp { return true }
    for _ in 0..<skip.frames {
      guard let frame = try staged.decoder.next(staged.buffer) else { break }
      // If it was answered before, this comes late and is nothing.
      if frame.header.kind == .call { slot.end.dropReply(frame.header.sequence) }
    }
    staged.delivered = skip.frames
    if !staged.decoder.isAtEnd { return true }
    wires.setStaged(nil, on: key)
    wires.letGo(slot)
    refill = key
    return false
  }
}

extension MailboxEnd {
  /// Tells the holder that calls whose requests were taken get no reply. One that reads nothing loses its wire: it
  /// would wait for ever.
  func announceOwnersDeath() {
    let sent = (try? tell(FrameHeader(kind: .ownerDied))) ?? true
    if !sent { socket.shutDown() }
  }
}
