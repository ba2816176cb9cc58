import LinuxSystem

/// Tells a waiting sender that its queue may have changed. That the socket is writable says nothing, since it nearly
/// always is: what counts is the edge that the kernel gives for each packet that is taken.
final class RoomWatch: Sendable {
  private static let signs: Readiness = [.readable, .writable, .peerClosed, .edgeTriggered]
  private let poller: Poller
  private let number: CInt

  /// - Parameter number: a socket that outlives this.
  init(_ number: CInt) throws(Errno) {
    self.number = number
    poller = try Poller()
    try poller.add(number, Self.signs, key: 0)
  }

  /// Readable when something happened since the last wait.
  var descriptor: CInt { poller.descriptor.number }

  /// False when the deadline passed and nothing happened since the last wait.
  func wait(until deadline: Deadline) throws(Errno) -> Bool {
    var events = ReadyEvents()
    try poller.wait(into: &events, until: deadline)
    return events.count > 0
  }

  /// Wakes the waiting thread: arming anew reports what is true now.
  func poke() { try? poller.modify(number, Self.signs, key: 0) }
}
