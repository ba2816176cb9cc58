import CPortShims

/// What one attempt to receive brought.
package enum PacketArrival {
  case packet(PacketBuffer, DescriptorList?)
  /// Nothing is queued now.
  case nothing
  /// The other end is closed and everything that it sent was received.
  case end
}

/// Receives packets into pooled buffers of the right size: the packet is scattered over a small buffer and the rest of
/// a large one, and whichever holds it whole is handed out. Reused from packet to packet, by one thread at a time.
@safe
package struct PacketReceiver: ~Copyable, @unchecked Sendable {
  private let ancillary = UnsafeMutablePointer<cps_ancillary>.allocate(capacity: 1)
  /// Used again once nobody refers to the packet that it held.
  private var small: PacketBuffer?
  /// Kept, because most packets leave it untouched.
  private var large: PacketBuffer?

  package init() { unsafe ancillary.initialize(to: cps_ancillary()) }

  deinit { unsafe ancillary.deallocate() }

  /// ECONNRESET only says that mail of ours was never read: what the peer sent before it closed is still queued.
  package mutating func receive(from socket: borrowing PacketSocket, wait: Bool = false) throws(Errno) -> PacketArrival
  {
    while true {
      do {
        return try receiveOnce(from: socket.descriptor.number, wait: wait)
      } catch {
        if error != .connectionReset { throw error }
      }
    }
  }

  /// The same without waiting, and the packet stays queued. Descriptors that come with it are duplicates.
  package mutating func peek(from socket: borrowing PacketSocket) throws(Errno) -> PacketArrival {
    while true {
      do {
        return try receiveOnce(from: socket.descriptor.number, wait: false, stays: true)
      } catch {
        if error != .connectionReset { throw error }
      }
    }
  }

  private mutating func receiveOnce(
    from number: CInt, wait: Bool, stays: Bool = false
  ) throws(Errno) -> PacketArrival {
    let first = takeSmall()
    let second = large ?? PacketBuffer.take(capacity: PacketBuffer.largeCapacity)
    large = second
    let room = first.capacity
    let size = try Syscall.attempt("recvmsg") { () -> Int in
      if stays {
        return unsafe cps_peek(
          number, first.address(0), room, second.address(room), second.capacity - room, ancillary)
      }
      return unsafe cps_receive(
        number, first.address(0), room, second.address(room), second.capacity - room, ancillary, wait)
    }
    guard let size else { return .nothing }
    // A packet of length 0 looks like the end, but the end has no sender and no stamp.
    if size == 0 && sender == nil && stampNanoseconds == 0 { return .end }
    guard size > room else {
      first.count = size
      return .packet(first, takeDescriptors())
    }
    large = nil
    second.copy(first.bytes(0..<room), to: 0)
    second.count = size
    return .packet(second, takeDescriptors())
  }

  private mutating func takeSmall() -> PacketBuffer {
    guard var own = small.take() else {
      let first = PacketBuffer(capacity: PacketBuffer.smallCapacity)
      small = first
      return first
    }
    let isFree = PacketBuffer.isFree(&own)
    small = own
    return isFree ? own : .take(capacity: PacketBuffer.smallCapacity)
  }

  /// CLOCK_REALTIME of the kernel when the last packet was enqueued; 0 when stamps are off.
  package var stampNanoseconds: Int64 { unsafe ancillary.pointee.stamp_ns }

  /// Who sent the last packet; nil where the socket does not ask for it.
  package var sender: Credentials? {
    guard unsafe ancillary.pointee.has_credentials else { return nil }
    return unsafe Credentials(
      processID: ancillary.pointee.pid, userID: ancillary.pointee.uid, groupID: ancillary.pointee.gid)
  }

  /// The last packet had descriptors that this process had no room for.
  package var lostDescriptors: Bool { unsafe ancillary.pointee.control_truncated }

  /// The last packet was larger than any that the protocol knows.
  package var isTruncated: Bool { unsafe ancillary.pointee.payload_truncated }

  private func takeDescriptors() -> DescriptorList? {
    let count = unsafe Int(ancillary.pointee.descriptor_count)
    if count == 0 { return nil }
    unsafe ancillary.pointee.descriptor_count = 0
    return unsafe withUnsafeBytes(of: &ancillary.pointee.descriptors) { bytes in
      DescriptorList(owning: unsafe Array(bytes.bindMemory(to: CInt.self).prefix(count)))
    }
  }
}
