import LinuxSystem

/// The way to the broker: names become rights here. One connection, usable from every thread.
///
/// When the broker is lost, rights between clients go on: the broker is in no data path. Names checked in or registered
/// through this object are put back when it connects again, which the next request does by itself; a run loop that the
/// object is scheduled on (LoopCore) does it as soon as the broker is back.
public final class Bootstrap: Sendable {
  /// Where the broker listens. The same for the life of this object, also after a loss.
  public let address: BrokerAddress
  private let state: Monitor<BootstrapState>

  private init(_ address: BrokerAddress, _ connection: BrokerConnection) {
    self.address = address
    state = Monitor(BootstrapState(connection))
  }

  /// Connects to the broker at `address`, by default the one that the environment names. Throws `noRuntimeDirectory`,
  /// `notReachable`, or `untrustedBroker` for a socket of another user than this one or root.
  public static func connect(to address: BrokerAddress? = nil) throws(BootstrapError) -> Bootstrap {
    let place: BrokerAddress
    if let address { place = address } else { place = try .fromEnvironment() }
    return Bootstrap(place, try BrokerConnection(to: place))
  }

  // MARK: Names

  /// Makes a port and puts its name up (bootstrap_check_in). Throws `serviceActive` while another living port has the
  /// name. The port is the caller's; the name goes when the port does, and is put up again after a loss of the broker
  /// as long as the port has not moved to another process.
  public func checkIn(
    _ name: ServiceName, fileID: StaticString = #fileID, line: UInt = #line
  ) throws(BootstrapError) -> ReceiveRight {
    let port = try translatingPortError { () throws(PortError) in try ReceiveRight(fileID: fileID, line: line) }
    let mailbox = port.mailbox
    try publish(PublishedName(name, .checkedIn(WeakMailbox(mailbox))))
    return port
  }

  /// Puts up a name for a port of which the caller holds a send right, wherever the port is (bootstrap_register).
  /// Throws `serviceActive` while another living port has the name.
  public func register(_ name: ServiceName, _ right: consuming SendRight) throws(BootstrapError) {
    try publish(PublishedName(name, .registered(right.end)))
  }

  /// A send right to the port with this name (bootstrap_look_up). Throws `unknownService` at once for unknown names.
  public func lookUp(
    _ name: ServiceName, fileID: StaticString = #fileID, line: UInt = #line
  ) throws(BootstrapError) -> SendRight {
    try lookUp(name, waitNanoseconds: 0, timeout: nil, fileID, line)
  }

  /// The same, waiting until the name appears. Throws `timedOut` when it did not.
  ///
  /// - Parameter timeout: holds the thread so long; nil waits as long as the broker lives. (Mach has nothing like it.)
  public func lookUp(
    _ name: ServiceName, waitingUpTo timeout: Duration?, fileID: StaticString = #fileID, line: UInt = #line
  ) throws(BootstrapError) -> SendRight {
    let wait = timeout.map { UInt64(max(0, $0.nanosecondsClamped)) } ?? NameRequest.forever
    // The broker keeps the time; this is for one that hangs.
    return try lookUp(name, waitNanoseconds: wait, timeout: timeout.map { $0 + Limits.lookUpGrace }, fileID, line)
  }

  private func lookUp(
    _ name: ServiceName, waitNanoseconds: UInt64, timeout: Duration?, _ fileID: StaticString, _ line: UInt
  ) throws(BootstrapError) -> SendRight {
    let request = NameRequest(name: Array(name.description.utf8), waitNanoseconds: waitNanoseconds)
    var reply = try ask(.lookUp, request, timeout: timeout)
    try Self.check(reply, name)
    do { return try reply.takeSendRight(at: 0, fileID: fileID, line: line) } catch { throw .port(error) }
  }

  /// All names that are up now, in order.
  package func listServices(timeout: Duration? = nil) throws(BootstrapError) -> [ServiceListing.Entry] {
    var entries: [ServiceListing.Entry] = []
    while true {
      let start = NameRequest(name: Array((entries.last?.name ?? "").utf8))
      let reply = try ask(.listServices, start, timeout: timeout)
      let page = try BootstrapReply.read(reply) { (reader) throws(MessageReaderError) in
        try ServiceListing(reading: &reader)
      }
      if page.entries.isEmpty { return entries }
      entries += page.entries
    }
  }

  // MARK: Requests

  /// A call to the broker on this connection. Made again once, with a new message, when the connection turns out to be
  /// lost before the request was sent.
  package func request(
    timeout: Duration? = nil, _ make: () throws(PortError) -> Message
  ) throws(BootstrapError) -> Message {
    for attempt in 0..<2 {
      let connection = try currentConnection()
      let message = try translatingPortError(make)
      switch connection.right.call(message, timeout: timeout) {
      case .reply(let reply): return reply
      case .returned(_, let error):
        guard error == .deadName else { throw .port(error) }
        markLost(connection)
        if attempt == 1 { throw .brokerLost }
      case .failed(let error):
        // A broker that stops in an orderly way drops what it has not answered.
        guard error == .deadName || error == .replyDropped else { throw .port(error) }
        if error == .deadName || connection.right.isDeadName { markLost(connection) }
        throw .brokerLost
      }
    }
    throw .brokerLost
  }

  /// One-way message on the connection; false when the broker is lost or does not read.
  package func tell(_ message: consuming Message, timeout: Duration = .seconds(1)) -> Bool {
    guard let connection = state.withLock({ $0.connection }) else { return false }
    switch connection.right.send(message, timeout: timeout) {
    case .sent: return true
    case .returned: return false
    }
  }

  private func publish(_ published: PublishedName) throws(BootstrapError) {
    try announce(published)
    state.withLock { $0.remember(published) }
  }

  private func announce(_ published: PublishedName) throws(BootstrapError) {
    let reply = try request(timeout: Limits.announcementTimeout) { () throws(PortError) -> Message in
      try published.announcement()
    }
    try Self.check(reply, published.name)
  }

  private func ask(
    _ id: BootstrapMessageID, _ body: NameRequest, timeout: Duration? = nil
  ) throws(BootstrapError) -> Message {
    var writer = MessageWriter()
    body.write(to: &writer)
    return try request(timeout: timeout) { () throws(PortError) -> Message in Message(id: id.rawValue, writer) }
  }

  private static func check(_ reply: borrowing Message, _ name: ServiceName) throws(BootstrapError) {
    switch try BootstrapReply.status(of: reply) {
    case .ok: return
    case .unknownService: throw .unknownService(name)
    case .serviceActive: throw .serviceActive(name)
    case .timedOut: throw .timedOut(name)
    case .limitReached: throw .limitReached("too many names or waiting look-ups of this client")
    case .malformed, .invalidName: throw .protocolMismatch("request refused as malformed")
    }
  }

  // MARK: Connection

  /// Word of the broker's death for a port of this process, which comes as long as the watch is kept. Nil when there is
  /// no connection.
  package func watchForLoss(from port: borrowing ReceiveRight) -> BrokerLossWatch? {
    guard let connection = state.withLock({ $0.connection }) else { return nil }
    guard let request = try? connection.right.requestDeadNameNotification(to: port) else { return nil }
    return BrokerLossWatch(request, of: connection)
  }

  /// Lets a connection go whose broker is dead; one that was made since stays.
  package func dropDeadConnection() {
    state.withLock { state in
      if let connection = state.connection, connection.right.isDeadName { state.connection = nil }
    }
  }

  private func markLost(_ connection: BrokerConnection) {
    state.withLock { state in
      if state.connection === connection { state.connection = nil }
    }
  }

  /// Connects again if the connection is lost, and puts the names back up. Names whose port has gone are forgotten.
  package func reconnect() throws(BootstrapError) { _ = try currentConnection() }

  private func currentConnection() throws(BootstrapError) -> BrokerConnection {
    if let connection = state.withLock({ $0.connection }) { return connection }
    let fresh = try BrokerConnection(to: address)
    let (connection, names) = state.withLock { state in state.adopt(fresh) }
    for name in names where !putUp(name, on: connection) {
      markLost(connection)
      break
    }
    return connection
  }
}

/// Announces a name on this very connection: one that breaks at once must not be replaced by way of itself. False when
/// it is broken.
private func putUp(_ name: PublishedName, on connection: BrokerConnection) -> Bool {
  guard let message = try? name.announcement() else { return true }
  do {
    _ = try connection.right.call(message, timeout: Limits.announcementTimeout).get()
    return true
  } catch {
    return error != .deadName
  }
}

func translatingPortError<Result: ~Copyable>(
  _ body: () throws(PortError) -> Result
) throws(BootstrapError) -> Result {
  do { return try body() } catch { throw .port(error) }
}
