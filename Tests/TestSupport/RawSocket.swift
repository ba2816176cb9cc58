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

  /// What a holder of a duplicate may change for everybody, as far as the kernel knows it.
  package enum Meddling: CaseIterable, Sendable {
    case nonBlocking, smallSendBuffer, smallReceiveBuffer, receiveTimeout, sendTimeout, peekOffset, lowWater
    case witnessProcess, witnessSecurity, noStamps, otherStamps, noCredentials
    case noReading, noWriting, neither

    package func apply(to number: CInt) {
      switch self {
      case .nonBlocking: makeNonBlocking(number)
      case .smallSendBuffer: shrinkSendBuffer(of: number)
      case .smallReceiveBuffer: set(SO_RCVBUF, CInt(1), on: number)
      case .receiveTimeout: set(SO_RCVTIMEO, timeval(tv_sec: 0, tv_usec: 1), on: number)
      case .sendTimeout: set(SO_SNDTIMEO, timeval(tv_sec: 0, tv_usec: 1), on: number)
      case .peekOffset: set(42, CInt(7), on: number)
      case .lowWater: set(SO_RCVLOWAT, CInt(1 << 20), on: number)
      case .witnessProcess: set(76, CInt(1), on: number)
      case .witnessSecurity: set(34, CInt(1), on: number)
      case .noStamps: set(35, CInt(0), on: number)
      case .otherStamps: set(29, CInt(1), on: number)
      case .noCredentials: set(16, CInt(0), on: number)
      case .noReading: shutdown(number, CInt(SHUT_RD))
      case .noWriting: shutdown(number, CInt(SHUT_WR))
      case .neither: shutdown(number, CInt(SHUT_RDWR))
      }
    }
  }

  private static func set<Value: BitwiseCopyable>(_ option: CInt, _ value: Value, on number: CInt) {
    var value = value
    _ = unsafe setsockopt(number, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Value>.size))
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
