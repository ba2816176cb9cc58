import CPortShims
import Glibc

/// One end of a connected SOCK_SEQPACKET socket. It is never put into O_NONBLOCK mode, because that flag is shared
/// with every process that holds a duplicate: each call says for itself whether it may block.
package struct PacketSocket: ~Copyable, Sendable {
  package let descriptor: Descriptor

  package init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  package static func pair() throws(Errno) -> PacketSocketPair {
    var first: Int32 = -1
    var second: Int32 = -1
    try Syscall.check("socketpair") { Int(unsafe cps_seqpacket_pair(&first, &second)) }
    return PacketSocketPair(
      first: PacketSocket(Descriptor(owning: first)), second: PacketSocket(Descriptor(owning: second)))
  }

  /// From now on each packet that arrives here carries its sender and the moment of its enqueue. To be set before the
  /// other end is shared: what was queued earlier gets the time of its reading.
  package borrowing func enableWitness() throws(Errno) {
    let number = descriptor.number
    try Syscall.check("SO_TIMESTAMPNS") { Int(cps_enable_stamps(number)) }
    try Syscall.check("SO_PASSCRED") { Int(cps_enable_credentials(number)) }
  }

  package borrowing func setSendBuffer(bytes: Int) throws(Errno) {
    let number = descriptor.number
    try Syscall.check("SO_SNDBUF") { Int(cps_set_send_buffer(number, CInt(clamping: bytes))) }
  }

  /// In the same measure in which it is set: the kernel doubles it for its own needs.
  package borrowing func sendBuffer() throws(Errno) -> Int {
    let number = descriptor.number
    return try Syscall.check("SO_SNDBUF") { Int(cps_send_buffer(number)) } / 2
  }

  /// What the kernel has charged this end for packets that the other one has not received yet. May be 1 too high for a
  /// moment, while a packet is being freed.
  @inline(__always)
  package borrowing func unreadByPeer() throws(Errno) -> Int {
    let number = descriptor.number
    return try Syscall.check("SIOCOUTQ") { cps_unread_by_peer(number) }
  }

  /// Something was sent to this end. An end of the connection does not show here.
  @inline(__always)
  package borrowing func hasUnread() -> Bool { unreadBytes() > 0 }

  /// Bytes that were sent to this end and not received yet.
  @inline(__always)
  package borrowing func unreadBytes() -> Int { max(0, cps_unread_here(descriptor.number)) }

  /// The kernel's number of this socket, the same for all its duplicates. Throws for anything that is not a connected
  /// AF_UNIX SEQPACKET socket.
  package borrowing func cookie() throws(Errno) -> UInt64 {
    let number = descriptor.number
    var cookie: UInt64 = 0
    try Syscall.check("SO_COOKIE") { Int(unsafe cps_wire_cookie(number, &cookie)) }
    return cookie
  }

  /// Who connected or listened at the other end.
  package borrowing func peerCredentials() throws(Errno) -> Credentials {
    let number = descriptor.number
    var pid: Int32 = 0
    var uid: UInt32 = 0
    var gid: UInt32 = 0
    try Syscall.check("SO_PEERCRED") { Int(unsafe cps_peer_credentials(number, &pid, &uid, &gid)) }
    return Credentials(processID: pid, userID: uid, groupID: gid)
  }

  /// Ends the connection in both directions while others may still hold the descriptor.
  package borrowing func shutDown() { _ = cps_shutdown(descriptor.number) }

  /// From now on the peer can send nothing; what it sent before can still be read, and answers still leave.
  /// The kernel makes the cut between two packets.
  package borrowing func shutDownReading() { _ = cps_shutdown_reading(descriptor.number) }

  /// Hands one packet to the kernel without blocking; false when there is no room. The descriptors stay the caller's.
  @inline(__always)
  package borrowing func send(_ buffer: PacketBuffer, _ range: Range<Int>) throws(Errno) -> Bool {
    precondition(!range.isEmpty && range.upperBound <= buffer.capacity, "an empty packet looks like the end")
    let number = descriptor.number
    return try Syscall.attempt("send") { () -> Int in
      unsafe cps_send(number, buffer.address(range.lowerBound), range.count, nil, 0, nil, 0)
    } != nil
  }

  /// The same for a packet in two parts, which stay the caller's.
  @inline(__always)
  package borrowing func send(head: InlineArray<4, UInt64>, tail: Span<UInt8>) throws(Errno) -> Bool {
    let number = descriptor.number
    let words = head.span
    return try Syscall.attempt("send") { () -> Int in
      unsafe words.withUnsafeBytes { head in
        unsafe tail.withUnsafeBytes { tail in
          unsafe cps_send_two(number, head.baseAddress!, head.count, tail.baseAddress, tail.count)
        }
      }
    } != nil
  }

  /// The same for a packet in two parts with descriptors.
  package borrowing func send(
    head: [UInt8], tail: PacketBuffer?, _ tailRange: Range<Int>, descriptors: [CInt]
  ) throws(Errno) -> Bool {
    precondition(!head.isEmpty, "an empty packet looks like the end")
    precondition(tailRange.upperBound <= (tail?.capacity ?? 0), "outside the packet buffer")
    let number = descriptor.number
    return try Syscall.attempt("sendmsg") { () -> Int in
      unsafe head.withUnsafeBytes { bytes in
        unsafe descriptors.withUnsafeBufferPointer { list in
          unsafe cps_send(
            number, bytes.baseAddress!, bytes.count, tail?.address(tailRange.lowerBound), tailRange.count,
            list.baseAddress, list.count)
        }
      }
    } != nil
  }
}

@frozen
package struct PacketSocketPair: ~Copyable, Sendable {
  package let first: PacketSocket
  package let second: PacketSocket

  init(first: consuming PacketSocket, second: consuming PacketSocket) {
    self.first = first
    self.second = second
  }
}
