import PortKit

/// Sends to a port, and tells the next process each time, which then sends as well. The first message brings a right to
/// the port and, for the first of the two, one to the other's own port.
enum RelayRole {
  static func run(_ path: String) throws {
    let (way, inbox) = try MoverRoles.arrive(at: path)
    var first = try inbox.port.receive()
    let target = try first.takeSendRight(at: 0)
    if try first.kind(ofRightAt: 1) == .send {
      let next = try first.takeSendRight(at: 1)
      for round in 0..<first.id {
        try target.send(Message(id: 2 * round), timeout: nil).get()
        try next.send(Message(id: round), timeout: nil).get()
      }
    } else {
      while true { try target.send(Message(id: 2 * inbox.port.receive().id + 1), timeout: nil).get() }
    }
    _ = try inbox.port.receive()
    _ = way
  }
}
