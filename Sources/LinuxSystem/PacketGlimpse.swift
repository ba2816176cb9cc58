import CPortShims

/// What lies next in a socket, which stays there.
package enum PacketGlimpse: Equatable, Sendable {
  /// Its whole size, and the moment of its enqueue; 0 when stamps are off.
  case packet(size: Int, stampNanoseconds: Int64)
  case nothing
  /// As ``PacketArrival/end``.
  case end
}

extension PacketSocket {
  /// Looks at the next packet without taking it. Its first bytes go into the buffer. Installs no descriptor.
  package borrowing func glimpse(into head: PacketBuffer, most: Int) throws(Errno) -> PacketGlimpse {
    precondition(most > 0 && most <= head.capacity, "outside the packet buffer")
    let number = descriptor.number
    var stamp: Int64 = 0
    while true {
      do {
        let size = try Syscall.attempt("recvmsg") { unsafe cps_peek_head(number, head.address(0), most, &stamp) }
        guard let size else { return .nothing }
        if size == 0 && stamp == 0 { return .end }
        head.count = min(size, most)
        return .packet(size: size, stampNanoseconds: stamp)
      } catch {
        // It only says that mail of ours was never read.
        if error != .connectionReset { throw error }
      }
    }
  }
}
