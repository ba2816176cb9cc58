import Glibc

/// What a program can do to a socket that does not use this package: the hand of an attacker.
package enum RawSocket {
  package enum Option: CInt, Sendable {
    case passCredentials = 16
    /// SO_PASSPIDFD: each packet brings a descriptor that nobody asked for.
    case passProcess = 76
  }

  /// False where the kernel does not know the option.
  @discardableResult
  package static func set(_ option: Option, on number: CInt) -> Bool {
    var on: CInt = 1
    return unsafe setsockopt(number, SOL_SOCKET, option.rawValue, &on, socklen_t(MemoryLayout<CInt>.size)) == 0
  }

  /// A packet without a byte.
  package static func sendNothing(on number: CInt) -> Bool {
    send(number, nil, 0, CInt(MSG_NOSIGNAL)) == 0
  }

  /// A place in the file system, opened with O_PATH: socket calls answer for it as for a number that is not open.
  package static func place() -> CInt { unsafe open("/", 0o10000000 | O_CLOEXEC) }

  /// What is no wire: sockets of another type or without a peer, and a place in the file system.
  package static func strangers() -> [CInt] {
    [
      place(), socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0), socket(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0),
      socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0),
    ]
  }

  /// Makes every holder's calls on this open socket not block.
  package static func makeNonBlocking(_ number: CInt) { _ = fcntl(number, F_SETFL, O_RDWR | O_NONBLOCK) }

  /// Shrinks what this socket may have queued, as any holder of a duplicate can.
  package static func shrinkSendBuffer(of number: CInt) {
    var bytes: CInt = 1
    _ = unsafe setsockopt(number, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
  }
}
