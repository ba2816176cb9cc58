import LinuxSystem
import Synchronization

extension HolderEnd {
  func call(_ request: consuming Message, until deadline: Deadline) -> CallOutcome {
    var request = request
    if !mark.isCurrent { return .returned(request, .deadName) }
    guard let number = beginCall() else { return .returned(request, .tooManyCalls(limit: Limits.callsPerWire)) }
    let packet: UInt64
    do {
      packet = try transmit(&request, kind: .call, sequence: number, until: deadline)
    } catch {
      calls.withLock { _ = $0.finish(number) }
      return .returned(request, error)
    }
    return awaitEnd(of: number, in: packet, until: deadline)
  }

  func beginCall() -> UInt64? {
    if let number = calls.withLock({ $0.begin() }) { return number }
    readWaitingReplies()
    return calls.withLock { $0.begin() }
  }

  /// Takes what is there. Replies that came after their callers had gone hold places that nobody else would free.
  func readWaitingReplies() {
    if calls.withLock({ $0.startReading() }) { readReplies(for: nil, until: Deadline(after: .zero)) }
  }

  func awaitEnd(of number: UInt64, in packet: UInt64, until deadline: Deadline) -> CallOutcome {
    while true {
      switch calls.withLock({ $0.nextRole(of: number, in: packet) }) {
      case .ended(let ending): return finish(ending, packet, until: deadline)
      case .wait:
        if calls.wait(until: deadline, while: { $0.mustWait(number, in: packet) }) { continue }
        return giveUp(number, packet)
      case .read:
        switch readReplies(for: number, until: deadline) {
        case .reply(let message):
          settle(through: packet)
          return .reply(message)
        case .other(let ending): return finish(ending, packet, until: deadline)
        case .none: if deadline.hasPassed { return giveUp(number, packet) }
        }
      }
    }
  }

  private func giveUp(_ number: UInt64, _ packet: UInt64) -> CallOutcome {
    guard let ending = calls.withLock({ $0.giveUp(number, in: packet) }) else { return .failed(.timedOut) }
    return finish(ending, packet, until: Deadline(after: .zero))
  }

  private func finish(_ ending: CallEnding, _ packet: UInt64, until deadline: Deadline) -> CallOutcome {
    switch ending {
    case .reply(let box):
      guard let message = box.take() else { preconditionFailure("a reply is taken once") }
      settle(through: packet)
      return .reply(message)
    case .dropped: return .failed(.replyDropped)
    case .dead: return .failed(.deadName)
    case .lost: return .failed(.descriptorShortage)
    case .moved(let end): return end.awaitMessage(until: deadline)
    }
  }

  /// How the call ended whose thread read that.
  enum OwnEnding: ~Copyable {
    case none
    case reply(Message)
    case other(CallEnding)

    var hasCome: Bool {
      switch self {
      case .none: false
      default: true
      }
    }
  }

  /// Reads for all waiting callers until the own reply has come or the deadline has passed. Hands the reading on.
  @discardableResult
  func readReplies(for own: UInt64?, until deadline: Deadline) -> OwnEnding {
    var receiver = self.receiver.withLock { $0.take() } ?? PacketReceiver()
    var ending = OwnEnding.none
    // Honest peers have at most one packet for each call in the wire when the deadline passes; others could go on.
    var left = Limits.callsPerWire
    var newsLeft = Limits.newsPerLook
    reading: while true {
      if deadline.hasPassed {
        if left == 0 { break reading }
        left -= 1
      }
      switch receiver.receive(from: socket, until: deadline) {
      case .nothing: break reading
      case .end:
        endAll()
        break reading
      case .packet(let buffer, let descriptors):
        let packet = PacketDecoder(
          size: buffer.count, descriptorCount: descriptors?.count ?? 0, descriptorsWereLost: receiver.lostDescriptors)
        if let header = packet.sole(buffer), header.kind == .reply, header.sequence == own {
          ending = .reply(Message(header, buffer))
          break reading
        }
        // Changes of the limit are no answers; the last one counts, so all are read.
        if newsLeft > 0, buffer.hasOnly(.limit) { (left, newsLeft) = (left + 1, newsLeft - 1) }
        guard let goesOn = try? deliver(packet, buffer, descriptors, own, &ending) else {
          // Not our protocol: nothing more of this peer is believed.
          socket.shutDown()
          endAll()
          break reading
        }
        if !goesOn { break reading }
      }
    }
    var returned: PacketReceiver? = consume receiver
    self.receiver.withLock { $0 = returned.take() }
    handOn(own: ending.hasCome ? own : nil)
    return ending
  }

  /// Another thread that waits reads next; while asynchronous calls are out, the reactor is ready to.
  private func handOn(own: UInt64?) {
    let (othersWait, reactorWaits) = calls.withLock { table in
      if let own { table.finish(own) }
      table.stopReading()
      return (table.mayStillBeAnswered, table.asyncCalls > 0)
    }
    if othersWait { calls.notifyAll() }
    if reactorWaits, let wire = async.withLock({ $0 }) { armForReplies(wire) }
  }

  /// Files what the packet says. True while the own call waits on.
  private func deliver(
    _ packet: PacketDecoder, _ buffer: PacketBuffer, _ descriptors: DescriptorList?, _ own: UInt64?,
    _ ownEnding: inout OwnEnding
  ) throws(FrameError) -> Bool {
    var packet = packet
    var goesOn = true
    while let frame = try packet.next(buffer) {
      if frame.header.kind == .ownerDied {
        noteOwnersDeath()
        // The own call may be over without a word for it.
        goesOn = false
        continue
      }
      guard let ending = try ending(from: frame, buffer, descriptors) else { continue }
      if frame.header.sequence == own {
        ownEnding = .other(ending)
        goesOn = false
        continue
      }
      switch calls.withLock({ $0.settle(frame.header.sequence, ending) }) {
      case .filed: calls.notifyAll()
      case .ended(let call): call.complete(ending)
      case .late: continue
      }
    }
    return goesOn
  }

  private func ending(
    from frame: Frame, _ buffer: PacketBuffer, _ descriptors: DescriptorList?
  ) throws(FrameError) -> CallEnding? {
    switch frame.header.kind {
    case .reply: return .reply(MessageBox(try Message(frame, buffer, descriptors, sender: nil, reply: nil)))
    case .replyDropped: return .dropped
    case .adopted, .limit:
      guard frame.header.sequence <= Limits.largestQueueLimit else { throw .unexpected("such a queue limit") }
      setLimit(Int(frame.header.sequence))
      return nil
    case .copyCredit:
      addCopyCredit(frame.header.sequence)
      return nil
    case .adoptReply:
      guard let end = descriptors?.take(frame.firstDescriptor) else { return .lost }
      let socket = PacketSocket(end)
      guard (try? socket.cookie()) != nil else { throw .unexpected("a descriptor that is not a wire") }
      return .moved(OnceEnd(socket))
    case .message, .call, .adopt, .keep, .ownerDied: throw .unexpected("frame kind \(frame.header.kind) from a mailbox")
    }
  }
}

extension PacketBuffer {
  /// One control frame of this kind is all of the packet.
  fileprivate func hasOnly(_ kind: FrameKind) -> Bool {
    count == FrameHeader.size && bytes(1..<2)[0] == kind.rawValue
  }
}

extension OnceEnd {
  /// Waits for the one message of this wire. Its end without one means that the right was destroyed.
  func awaitMessage(until deadline: Deadline) -> CallOutcome {
    var receiver = PacketReceiver()
    switch receiver.receive(from: socket, until: deadline) {
    case .nothing: return .failed(.timedOut)
    case .end: return .failed(.replyDropped)
    case .packet(let buffer, let descriptors):
      do {
        var decoder = PacketDecoder(
          size: buffer.count, descriptorCount: descriptors?.count ?? 0, descriptorsWereLost: receiver.lostDescriptors)
        guard let frame = try decoder.next(buffer), frame.header.kind == .message else { return .failed(.replyDropped) }
        return .reply(try Message(frame, buffer, descriptors, sender: nil, reply: nil))
      } catch {
        return .failed(.replyDropped)
      }
    }
  }
}

extension PacketReceiver {
  /// Blocks in the kernel's receive when there is no deadline: one system call instead of two. An error of the socket
  /// counts as its end.
  mutating func receive(from socket: borrowing PacketSocket, until deadline: Deadline) -> PacketArrival {
    do {
      if deadline.isNever {
        let arrival = try receive(from: socket, wait: true)
        // An earlier holder that kept a duplicate may have made the socket non-blocking.
        if case .nothing = arrival {} else { return arrival }
      }
      let number = socket.descriptor.number
      guard try waitForReadiness(of: number, .readable, until: deadline) else { return .nothing }
      return try receive(from: socket)
    } catch {
      return .end
    }
  }
}
