import LinuxSystem
import PortKit

/// The thread of an actor that sends, calls and hands rights on. It may block: the other one always serves.
struct StormClient {
  private let hand: StormHand
  private var random: SeededNumbers

  init(_ hand: StormHand, seed: UInt64) {
    self.hand = hand
    random = SeededNumbers(seed: seed)
  }

  mutating func run(steps: UInt32) {
    for _ in 0..<steps {
      step()
      hand.tick()
    }
    hand.tell(Message(id: StormMail.done))
  }

  private mutating func step() {
    switch random.number(0...99) {
    case 0...39: send()
    case 40...64: call()
    case 65...72: copy()
    case 73...82: giveRight()
    case 83...85:
      if let right = hand.anyRight(&random) {
        hand.noteDropped(right.name)
        _ = right.take()
      }
    case 86...90: useOnce()
    case 91...97: giveOnce()
    default:
      // Several at once: their port has more than one word of them to tell.
      for _ in 0..<random.number(1...5) { _ = hand.anyOnce(&random)?.take() }
    }
  }

  // MARK: Messages to ports

  private mutating func body(_ name: StormName, _ nonce: UInt64, _ cargo: StormCargo) -> MessageWriter {
    var writer = MessageWriter()
    writer.write(name.id)
    writer.write(name.count)
    writer.write(nonce)
    cargo.write(to: &writer)
    return writer
  }

  private mutating func send() {
    guard let held = hand.anyRight(&random), let right = held.take() else { return }
    var name = held.name
    let (cargo, right0, once0) = load(random.chance(20))
    var message = Message(id: StormMail.numbered, body(name, random.next(), cargo))
    if let right = right0?.take() { message.attach(right) }
    if let once = once0?.take() { message.attach(once) }
    switch right.send(message, timeout: random.chance(50) ? .zero : nil) {
    case .sent:
      name.count += 1
      hand.noteGiven(cargo)
    case .returned(var back, let error):
      if error != .deadName && error != .timedOut { hand.fault("send: \(error)") }
      hand.unload(&back, cargo)
    }
    hand.keep(HeldRight(name, right))
  }

  private mutating func call() {
    guard let held = hand.anyRight(&random), let right = held.take() else { return }
    var name = held.name
    let nonce = random.next()
    let (cargo, right0, once0) = load(random.chance(20))
    var message = Message(id: StormMail.numbered, body(name, nonce, cargo))
    if let right = right0?.take() { message.attach(right) }
    if let once = once0?.take() { message.attach(once) }
    let isPatient = random.chance(80)
    switch right.call(message, timeout: isPatient ? nil : .zero) {
    case .reply(let reply):
      name.count += 1
      hand.noteGiven(cargo)
      checkReply(reply, nonce)
    case .returned(var back, let error):
      if ![.deadName, .timedOut, .tooManyCalls(limit: Limits.callsPerWire)].contains(error) {
        hand.fault("request: \(error)")
      }
      hand.unload(&back, cargo)
    case .failed(let error):
      name.count += 1
      hand.noteGiven(cargo)
      switch error {
      case .replyDropped: hand.count { $0.droppedReplies += 1 }
      case .deadName: hand.count { $0.deadCalls += 1 }
      case .timedOut where !isPatient: break
      default: hand.fault("call: \(error)")
      }
    }
    hand.keep(HeldRight(name, right))
  }

  private func checkReply(_ reply: borrowing Message, _ nonce: UInt64) {
    var reader = MessageReader(reply.body)
    let answered = try? reader.read(UInt64.self)
    if answered != nonce { hand.fault("the reply to \(nonce) is one to \(String(describing: answered))") }
    hand.count { $0.replies += 1 }
  }

  /// Something that travels with a message.
  private mutating func load(_ isLoaded: Bool) -> (StormCargo, HeldRight?, HeldOnce?) {
    if !isLoaded { return (.nothing, nil, nil) }
    if random.chance(60) {
      guard let right = hand.anyRight(&random) else { return (.nothing, nil, nil) }
      return (.right(right.name), right, nil)
    }
    guard let once = hand.anyOnce(&random) else { return (.nothing, nil, nil) }
    return (.once(once.number), nil, once)
  }

  // MARK: Rights

  private mutating func copy() {
    guard let held = hand.anyRight(&random), let right = held.take() else { return }
    do throws(PortError) {
      let copy = try right.copy(timeout: random.chance(50) ? .zero : .seconds(5))
      hand.keep(HeldRight(StormName(id: hand.freshID(), port: held.name.port), copy))
    } catch {
      if error != .deadName && error != .timedOut { hand.fault("copy: \(error)") }
    }
    hand.keep(HeldRight(held.name, right))
  }

  private mutating func giveRight() {
    guard let held = hand.anyRight(&random), let right = held.take() else { return }
    hand.give(held.name, right, by: hand.anyDoor(&random))
  }

  private mutating func giveOnce() {
    guard let held = hand.anyOnce(&random), let once = held.take() else { return }
    hand.give(held.number, once, by: hand.anyDoor(&random))
  }

  private mutating func useOnce() {
    guard let held = hand.anyOnce(&random), let once = held.take() else { return }
    var writer = MessageWriter()
    writer.write(held.number)
    if case .returned(_, let error) = once.send(Message(id: StormMail.once, writer)), error != .deadName {
      hand.fault("send-once: \(error)")
    }
  }
}
