import TestSupport

@testable import PortKit

/// Random steps that the model allows. What is certain is applied to the model at once; the rest ends a batch and is
/// applied with the real result.
struct HistoryGenerator {
  struct Step {
    let command: HistoryCommand
    /// Nil: the result says.
    let predicted: HistoryResult?
  }

  static let actors = 4
  var random: SeededNumbers
  var model = PortModel()
  private var lastHandle: UInt32 = 0
  /// What the model itself refused; a fault of the test.
  private(set) var faults: [String] = []

  init(_ random: SeededNumbers) { self.random = random }

  mutating func fresh() -> UInt32 {
    lastHandle += 1
    return lastHandle
  }

  // MARK: What an actor has. Sorted, so that a seed repeats.

  func ports(of actor: Int) -> [UInt32] { model.ports.filter { $0.value.place == .actor(actor) }.keys.sorted() }
  func rights(of actor: Int) -> [UInt32] { model.rights.filter { $0.value.place == .actor(actor) }.keys.sorted() }
  func onces(of actor: Int) -> [UInt32] { model.onces.filter { $0.value.place == .actor(actor) }.keys.sorted() }

  /// Rights that may leave their holder: their calls are over.
  private func movable(_ actor: Int) -> [UInt32] {
    rights(of: actor).filter { model.rights[$0]?.calls.isEmpty ?? false }
  }

  private mutating func any(_ handles: [UInt32]) -> UInt32? { handles.randomElement(using: &random) }

  // MARK: Batches

  /// - Parameter isAlone: no other actor works at the same time.
  mutating func batch(for actor: Int, isAlone: Bool) -> [Step] {
    var steps: [Step] = []
    var isOpen = true
    for _ in 0..<random.number(10...60) where isOpen {
      guard let command = isAlone ? anyCommand(actor) : commutingCommand(actor) else { continue }
      let outcomes = outcomes(of: command)
      if outcomes.count == 1, let only = outcomes.first {
        if let fault = model.apply(command, by: actor, result: only) { faults.append(fault) }
        steps.append(Step(command: command, predicted: only))
      } else if isAlone && command.rights.isEmpty && !(command.operation == .send && command.object != 0) {
        steps.append(Step(command: command, predicted: nil))
        isOpen = false
      }
    }
    if !isAlone { return steps }
    for port in ports(of: actor) where random.chance(60) {
      let count = random.chance(50) ? 1000 : random.number(1...6)
      steps.append(Step(command: HistoryCommand(.receive, port, value: UInt32(count)), predicted: nil))
    }
    return steps
  }

  private func outcomes(of command: HistoryCommand) -> Set<HistoryResult> {
    switch command.operation {
    case .send: return model.outcomes(ofSendOn: command.subject)
    case .copy: return model.outcomes(ofCopyOf: command.subject)
    case .answer:
      switch model.onces[command.subject]?.target {
      case .port(let port): return model.isAlive(port) ? [.done] : [.deadName]
      case .call(let call): return model.calls[call]?.isCallerAlive == true ? [.done] : [.done, .deadName]
      case nil: return []
      }
    default: return [.done]
    }
  }

  /// Everything: nobody else works.
  private mutating func anyCommand(_ actor: Int) -> HistoryCommand? {
    switch random.number(0...99) {
    case 0...3: return model.ports.values.count { $0.isAlive } < 12 ? HistoryCommand(.makePort, fresh()) : nil
    case 4: return random.chance(40) ? any(ports(of: actor)).map { HistoryCommand(.destroyPort, $0) } : nil
    case 5...8:
      return any(ports(of: actor)).map { HistoryCommand(.armNoSenders, $0, value: UInt32(random.number(0...4))) }
    case 9...11: return armDeadName(actor)
    case 12: return any(ports(of: actor)).map { HistoryCommand(.setLimit, $0, value: UInt32(random.number(0...9))) }
    case 13...15: return send(actor, movesPort: true)
    default: return commutingCommand(actor)
    }
  }

  /// Whatever others do meanwhile, these come to the same.
  private mutating func commutingCommand(_ actor: Int) -> HistoryCommand? {
    switch random.number(0...99) {
    case 0...9: return make(actor)
    case 10...17: return copy(actor)
    case 18...28: return any(movable(actor)).map { HistoryCommand(.dropRight, $0) }
    case 29...32: return any(onces(of: actor)).map { HistoryCommand(.dropOnce, $0) }
    case 33...42: return answer(actor)
    case 43...47: return call(actor)
    default: return send(actor, movesPort: false)
    }
  }

  // MARK: Commands

  private mutating func make(_ actor: Int) -> HistoryCommand? {
    guard let port = any(ports(of: actor)) else { return nil }
    if random.chance(30) {
      return onces(of: actor).count < 10 ? HistoryCommand(.makeOnce, port, object: fresh()) : nil
    }
    return model.senders(of: port) < 20 ? HistoryCommand(.makeRight, port, object: fresh()) : nil
  }

  private mutating func copy(_ actor: Int) -> HistoryCommand? {
    guard let right = any(rights(of: actor)), let port = model.rights[right]?.port, model.senders(of: port) < 20
    else { return nil }
    return HistoryCommand(.copy, right, object: fresh())
  }

  private mutating func armDeadName(_ actor: Int) -> HistoryCommand? {
    guard let right = any(rights(of: actor)), let port = any(ports(of: actor)) else { return nil }
    return HistoryCommand(.armDeadName, right, object: port, value: fresh())
  }

  private mutating func answer(_ actor: Int) -> HistoryCommand? {
    guard let once = any(onces(of: actor)) else { return nil }
    // What comes with the reply to a call goes when the caller's library has handed it over, whenever that is.
    guard case .port = model.onces[once]?.target else { return HistoryCommand(.answer, once, value: fresh()) }
    return HistoryCommand(.answer, once, value: fresh(), rights: attachments(actor, besides: [once]))
  }

  private mutating func call(_ actor: Int) -> HistoryCommand? {
    guard model.calls.count < 20, let right = any(rights(of: actor)),
      model.isAlive(model.rights[right]?.port ?? 0), model.outcomes(ofSendOn: right) == [.done]
    else { return nil }
    return HistoryCommand(.call, right, object: fresh(), value: fresh())
  }

  private mutating func send(_ actor: Int, movesPort: Bool) -> HistoryCommand? {
    guard let right = any(rights(of: actor)), let target = model.rights[right]?.port else { return nil }
    var attachments = attachments(actor, besides: [right])
    var reply: UInt32 = 0
    if random.chance(25), let once = any(onces(of: actor)), !attachments.contains(where: { $0.handle == once }),
      isFitToMove(once)
    {
      reply = once
    }
    if movesPort {
      // A port in the mail of a port in the mail, and so on in a ring, would be lost.
      guard let port = any(ports(of: actor)), port != target else { return nil }
      if case .message = model.ports[target]?.place { return nil }
      attachments.append(HistoryCommand.Attachment(.port, port))
    }
    return HistoryCommand(.send, right, object: reply, value: fresh(), rights: attachments)
  }

  private func isFitToMove(_ once: UInt32) -> Bool {
    guard case .call(let call) = model.onces[once]?.target else { return true }
    return model.calls[call]?.isCallerAlive == true
  }

  private mutating func attachments(_ actor: Int, besides: [UInt32]) -> [HistoryCommand.Attachment] {
    guard random.chance(35) else { return [] }
    var attachments: [HistoryCommand.Attachment] = []
    for right in movable(actor).shuffled(using: &random).prefix(random.number(0...3)) where !besides.contains(right) {
      attachments.append(HistoryCommand.Attachment(.send, right))
    }
    if random.chance(30), let once = any(onces(of: actor)), !besides.contains(once), isFitToMove(once) {
      attachments.append(HistoryCommand.Attachment(.sendOnce, once))
    }
    return attachments
  }
}
