import LinuxSystem

/// One connection to the broker: the client's wire.
final class BrokerConnection: Sendable {
  let right: SendRight

  /// The listening socket must belong to this user or to root: anybody may create a socket in a place that they own.
  init(to address: BrokerAddress) throws(BootstrapError) {
    let socket = try translating(address) { () throws(Errno) in try NamedSocket.connect(to: address.path) }
    let owner = try translating(address) { () throws(Errno) in try socket.peerCredentials() }
    guard owner.userID == 0 || owner.userID == ProcessFacts.effectiveUser else {
      throw .untrustedBroker(path: address.path, userID: owner.userID)
    }
    right = SendRight(adopting: socket)
  }
}

private func translating<Result: ~Copyable>(
  _ address: BrokerAddress, _ body: () throws(Errno) -> Result
) throws(BootstrapError) -> Result {
  do { return try body() } catch { throw .notReachable(path: address.path, reason: error.description) }
}
