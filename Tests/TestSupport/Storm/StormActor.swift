import LinuxSystem
package import PortKit

/// One process of a storm: has ports, serves them on this thread, and uses rights to ports of all on another one.
/// Follows the orders of the test, which come to its inbox; what it has to tell goes the way that it was given.
package final class StormActor {
  private let hand: StormHand
  private let set: PortSetHolder
  private let inbox: PortID
  private var ports: [PortID: StormPort] = [:]
  private var random = SeededNumbers(seed: 0)
  private var isStorming = false
  private var isFinishing = false
  private var thread: WorkerThread?
  /// Answers that are still owed, by their nonces.
  private var owed: [UInt64: HeldOnce] = [:]
  private let toMyself: SendRight

  private final class PortSetHolder {
    let set: PortSet
    init() throws { set = try PortSet() }
  }

  private init(_ hand: StormHand, _ inbox: borrowing ReceiveRight) throws {
    self.hand = hand
    self.inbox = inbox.id
    toMyself = try inbox.makeSendRight()
    set = try PortSetHolder()
    try set.set.insert(inbox)
  }

  /// - Parameter tag: no other process of the test has it.
  package static func serve(_ way: consuming SendRight, tag: UInt32) throws {
    let inbox = try ReceiveRight()
    var hello = Message(id: StormMail.hello)
    try hello.attach(makingSendRightFrom: inbox)
    try way.send(hello).get()
    _ = try way.requestDeadNameNotification(to: inbox)
    let actor = try StormActor(StormHand(way, tag: tag), inbox)
    while try actor.handle(try actor.set.set.receive()) {}
  }

  /// False when the test is over.
  private func handle(_ message: consuming Message) throws -> Bool {
    hand.tick()
    guard let place = message.localPort else { return true }
    if place == inbox {
      if message.notification != nil { return false }
      try handleMail(message)
    } else {
      try serve(message, at: place)
    }
    if isFinishing, ports.values.allSatisfy(\.record.isComplete) { report() }
    return true
  }

  // MARK: The inbox

  private func handleMail(_ message: consuming Message) throws {
    switch message.id {
    case StormMail.door:
      let index: UInt32 = try read(message) { (reader) throws(MessageReaderError) in try reader.read() }
      hand.open(index, try message.takeSendRight(at: 0))
    case StormMail.begin: try begin(try read(message, StormOrder.init))
    case StormMail.settle:
      thread?.join()
      thread = nil
      isStorming = false
      hand.settle()
      hand.tell(Message(id: StormMail.settled))
    case StormMail.finish: isFinishing = true
    case StormMail.tell: report()
    case StormMail.cargo: hand.unload(&message, try read(message, StormCargo.init))
    case StormMail.port:
      let record = try read(message, StormRecord.init)
      try keep(try message.takeReceiveRight(at: 0), record)
    case StormMail.answer: answer(&message)
    case StormMail.owed: answerLate(try read(message) { (reader) throws(MessageReaderError) in try reader.read() })
    default: hand.fault("mail \(message.id)")
    }
  }

  private func read<Value>(
    _ message: borrowing Message, _ body: (inout MessageReader) throws(MessageReaderError) -> Value
  ) throws(MessageReaderError) -> Value {
    var reader = MessageReader(message.body)
    return try body(&reader)
  }

  private func begin(_ order: StormOrder) throws {
    random = SeededNumbers(seed: order.seed)
    isStorming = true
    hand.arm(order)
    for _ in 0..<2 { try makePort() }
    let (hand, seed, steps) = (hand, random.next(), order.steps)
    thread = WorkerThread {
      var client = StormClient(hand, seed: seed)
      client.run(steps: steps)
    }
  }

  private func makePort() throws {
    let port = try ReceiveRight()
    var record = StormRecord(id: hand.freshID())
    var rights: [HeldRight] = []
    for _ in 0..<random.number(1...3) {
      rights.append(HeldRight(StormName(id: hand.freshID(), port: record.id), try port.makeSendRight()))
    }
    var onces: [HeldOnce] = []
    for number in 0..<UInt32(random.number(1...8)) {
      onces.append(HeldOnce(number, try port.makeSendOnceRight()))
    }
    record.oncesMade = UInt32(onces.count)
    try port.requestNoSendersNotification(sync: 1)
    try keep(port, record)
    for held in rights {
      if let right = held.take() { hand.give(held.name, right, by: hand.anyDoor(&random)) }
    }
    for held in onces {
      if let once = held.take() { hand.give(held.number, once, by: hand.anyDoor(&random)) }
    }
  }

  private func keep(_ port: consuming ReceiveRight, _ record: StormRecord) throws(PortError) {
    let id = try set.set.insert(port)
    ports[id] = StormPort(port, record)
  }

  // MARK: Ports

  private func serve(_ message: consuming Message, at place: PortID) throws {
    guard let port = ports[place] else { return hand.fault("a message at a port that is not here") }
    if let notification = message.notification {
      if let fault = port.record.note(notification) { hand.fault(fault) }
      if isStorming, random.chance(10) { try move(place, port) }
      return
    }
    if message.id == StormMail.once {
      let number: UInt32 = try read(message) { (reader) throws(MessageReaderError) in try reader.read() }
      if let fault = port.record.note(once: number) { hand.fault(fault) }
      return
    }
    let (right, number, nonce, cargo) = try read(message) { (reader) throws(MessageReaderError) in
      (
        try reader.read(UInt64.self), try reader.read(UInt32.self), try reader.read(UInt64.self),
        try StormCargo(&reader)
      )
    }
    if let fault = port.record.note(number: number, of: right) { hand.fault(fault) }
    hand.unload(&message, cargo)
    let isOwed = reply(&message, nonce)
    if isStorming, random.chance(isOwed ? 50 : 5) { try move(place, port) }
  }

  private func move(_ place: PortID, _ port: StormPort) throws {
    guard let door = hand.anyDoor(&random), let right = port.take() else { return }
    ports[place] = nil
    var record = port.record
    record.moves += 1
    var writer = MessageWriter()
    record.write(to: &writer)
    var message = Message(id: StormMail.port, writer)
    message.attach(right)
    switch door.right.send(message, timeout: .zero) {
    case .sent: hand.count { $0.movedPorts += 1 }
    case .returned(var back, let error):
      if error != .deadName && error != .timedOut { hand.fault("moving a port: \(error)") }
      try keep(try back.takeReceiveRight(at: 0), port.record)
    }
  }

  // MARK: Replies

  /// Answers, drops the right, lets a peer answer, or answers later. True for that: the port may be elsewhere by then.
  private func reply(_ request: inout Message, _ nonce: UInt64) -> Bool {
    guard let right = request.takeReply() else { return false }
    var writer = MessageWriter()
    writer.write(nonce)
    let choice = random.number(0...9)
    if choice == 0 { return false }
    if choice > 7, error(of: toMyself.send(Message(id: StormMail.owed, writer), timeout: .zero)) == nil {
      owed[nonce] = HeldOnce(0, right)
      return true
    }
    if choice < 4, let door = hand.anyDoor(&random) {
      var message = Message(id: StormMail.answer, writer)
      message.setReply(right)
      switch door.right.send(message, timeout: .zero) {
      case .sent: hand.count { $0.handedReplies += 1 }
      case .returned(var back, let error):
        if error != .deadName && error != .timedOut { hand.fault("handing a reply right on: \(error)") }
        answer(&back)
      }
    } else {
      // A caller may be gone.
      _ = right.send(Message(id: StormMail.answer, writer), timeout: .zero)
    }
    return false
  }

  private func answerLate(_ nonce: UInt64) {
    guard let right = owed.removeValue(forKey: nonce)?.take() else { return hand.fault("nothing owed to \(nonce)") }
    var writer = MessageWriter()
    writer.write(nonce)
    _ = right.send(Message(id: StormMail.answer, writer), timeout: .zero)
  }

  private func error(of outcome: consuming SendOutcome) -> PortError? {
    if case .returned(_, let error) = consume outcome { return error }
    return nil
  }

  private func answer(_ message: inout Message) {
    guard let right = message.takeReply() else { return hand.fault("nothing to answer to") }
    _ = right.send(Message(id: StormMail.answer, body: message.body), timeout: .zero)
  }

  // MARK: The end of a round

  private func report() {
    isFinishing = false
    for port in ports.values {
      guard let right = port.take() else { continue }
      if port.record.isComplete, let more = try? right.receive(timeout: .zero) {
        hand.fault("port \(port.record.id): message \(more.id) after all")
      }
    }
    let report = hand.report(ports.values.map(\.record))
    ports = [:]
    var writer = MessageWriter()
    report.write(to: &writer)
    hand.tell(Message(id: StormMail.report, writer))
  }
}
