import CPortShims

/// SEQPACKET sockets with a path.
package enum NamedSocket {
  /// Longest path that fits `sun_path` with its NUL.
  package static let pathLimit = 107

  /// A listening socket at `path`, mode 0600. Fails with EADDRINUSE when something has that name.
  package static func listen(at path: String, backlog: Int = 128) throws(Errno) -> Descriptor {
    try checkLength(path)
    let number = try Syscall.check("bind") { Int(unsafe cps_listen(path, CInt(backlog))) }
    return Descriptor(owning: CInt(number))
  }

  /// Nil when nobody waits.
  package static func accept(from listener: borrowing Descriptor) throws(Errno) -> PacketSocket? {
    let number = listener.number
    guard let accepted = try Syscall.attempt("accept4", { Int(cps_accept(number)) }) else { return nil }
    return PacketSocket(Descriptor(owning: CInt(accepted)))
  }

  package static func connect(to path: String) throws(Errno) -> PacketSocket {
    try checkLength(path)
    let number = try Syscall.check("connect") { Int(unsafe cps_connect(path)) }
    return PacketSocket(Descriptor(owning: CInt(number)))
  }

  /// A path that does not fit would be cut, and name another file.
  private static func checkLength(_ path: String) throws(Errno) {
    if path.utf8.count > pathLimit || path.utf8.contains(0) { throw .nameTooLong }
  }
}
