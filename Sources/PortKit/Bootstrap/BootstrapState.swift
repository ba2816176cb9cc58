import LinuxSystem
/// What a ``Bootstrap`` must remember to be itself again after the broker was lost.
struct BootstrapState: ~Copyable {
  var connection: BrokerConnection?
  private var names: [PublishedName] = []

  init(_ connection: BrokerConnection) { self.connection = connection }

  mutating func remember(_ published: PublishedName) {
    names.removeAll { $0.name == published.name || !$0.isAlive }
    names.append(published)
  }

  /// Takes a new connection unless another thread was faster. Returns the one to use and the names to announce on it.
  mutating func adopt(_ fresh: BrokerConnection) -> (BrokerConnection, [PublishedName]) {
    if let connection { return (connection, []) }
    connection = fresh
    names.removeAll { !$0.isAlive }
    return (fresh, names)
  }
}

/// A name that this process put up, with what is needed to put it up again.
struct PublishedName: Sendable {
  enum Port: Sendable {
    /// The port is the user's; here it is only known as long as it lives.
    case checkedIn(WeakMailbox)
    case registered(HolderEnd)
  }

  let name: ServiceName
  let port: Port

  init(_ name: ServiceName, _ port: Port) {
    self.name = name
    self.port = port
  }

  var isAlive: Bool {
    switch port {
    case .checkedIn(let mailbox): mailbox.object != nil
    case .registered(let end): !end.isDeadName
    }
  }

  func announcement() throws(PortError) -> Message {
    var writer = MessageWriter()
    NameRequest(name: Array(name.description.utf8)).write(to: &writer)
    switch port {
    case .checkedIn(let mailbox):
      guard let mailbox = mailbox.object else { throw .deadName }
      var message = Message(id: BootstrapMessageID.checkIn.rawValue, writer)
      message.attach(SendRight(HolderEnd(try mailbox.makeWire(isSendOnce: false, powers: .introduces))))
      return message
    case .registered(let end):
      var message = Message(id: BootstrapMessageID.register.rawValue, writer)
      message.attach(SendRight(try end.copy(until: Deadline(after: Limits.announcementTimeout))))
      return message
    }
  }
}

struct WeakMailbox: Sendable {
  weak var object: Mailbox?

  init(_ object: Mailbox) { self.object = object }
}
