import LinuxSystem
package import PortKit

/// Goes through its part of a history with real ports, in a process or on a thread of its own: batches of commands come
/// to its inbox, their results leave by `way`.
package final class HistoryActor {
  private var ports: [UInt32: MailboxHolder] = [:]
  private var rights: [UInt32: RightHolder] = [:]
  private var onces: [UInt32: OnceHolder] = [:]
  private var requests: [DeadNameRequest: UInt32] = [:]
  private var calls: [UInt32: Ending] = [:]
  /// For calls that tell how far the library's own thread has come.
  private let pulse: ReceiveRight
  private let pulseRight: SendRight

  private init() throws {
    pulse = try ReceiveRight()
    pulseRight = try pulse.makeSendRight()
    // What the library opens for calls once in a process is open from now on.
    try awaitReactor()
  }

  /// Runs until the driver says so with message 0, or is gone.
  package static func serve(_ way: consuming SendRight) throws {
    let inbox = try ReceiveRight()
    let actor = try HistoryActor()
    var hello = Message(id: 1)
    try hello.attach(makingSendRightFrom: inbox)
    try way.send(hello).get()
    try inbox.requestNoSendersNotification()
    while true {
      var batch = try inbox.receive()
      if batch.notification != nil || batch.id == 0 { return }
      try way.send(try actor.perform(&batch)).get()
    }
  }

  /// Returns when the library's own thread has done with what it had in hand: it takes one thing after the other, and
  /// keeps the wire that it is reading open meanwhile. Until then a right whose call has ended may outlive its holder's
  /// wish by a moment.
  private func awaitReactor() throws {
    let ending = Ending()
    pulseRight.call(Message(id: 1)) { ending.set($0) }
    var request = try pulse.receive(timeout: .seconds(5))
    if let reply = request.takeReply() { try reply.send(Message(id: 2)).get() }
    guard ending.get() == .reply(2) else { throw HistoryError.noAnswer("the library's thread stands still") }
  }

  private func perform(_ batch: inout Message) throws -> Message {
    var commands: [HistoryCommand] = []
    do {
      var reader = MessageReader(batch.body)
      while reader.remaining > 0 { commands.append(try HistoryCommand(&reader)) }
    }
    var writer = MessageWriter()
    var leaving: [UInt32] = []
    for command in commands {
      var result = HistoryResult.done
      switch command.operation {
      case .export: leaving.append(command.subject)
      case .importRight:
        rights[command.subject] = RightHolder(try batch.takeSendRight(at: Int(command.value)))
      default:
        do { result = try perform(command) } catch let error as PortError { result = HistoryResult(error) }
      }
      result.write(to: &writer)
    }
    var answer = Message(id: 2, writer)
    for handle in leaving { answer.attach(try takeRight(handle)) }
    return answer
  }

  private func perform(_ command: HistoryCommand) throws -> HistoryResult {
    let subject = command.subject
    switch command.operation {
    case .makePort: ports[subject] = MailboxHolder(try ReceiveRight())
    case .makeRight: rights[command.object] = RightHolder(try port(subject).makeRight())
    case .makeOnce: onces[command.object] = OnceHolder(try port(subject).makeOnce())
    case .copy: rights[command.object] = RightHolder(try right(subject).copy())
    case .dropRight: rights[subject] = nil
    case .dropOnce: onces[subject] = nil
    case .destroyPort: ports[subject] = nil
    case .send: return try send(command)
    case .answer: return try answer(command)
    case .call: try call(command)
    case .collect:
      guard let ending = calls.removeValue(forKey: subject) else { throw HistoryError.unknown("call", subject) }
      let result = ending.get()
      try awaitReactor()
      return result
    case .receive: return try receive(from: subject, atMost: command.value)
    case .armNoSenders: try port(subject).arm(sync: Int(command.value))
    case .armDeadName:
      requests[try port(command.object).watch(try right(subject))] = command.value
    case .setLimit: try port(subject).setLimit(Int(command.value))
    case .askDead: return .isDead(try right(subject).isDead)
    case .export, .importRight: throw HistoryError.notUnderstood
    }
    return .done
  }

  // MARK: Objects

  private func port(_ handle: UInt32) throws -> MailboxHolder {
    guard let port = ports[handle] else { throw HistoryError.unknown("port", handle) }
    return port
  }

  private func right(_ handle: UInt32) throws -> RightHolder {
    guard let right = rights[handle] else { throw HistoryError.unknown("right", handle) }
    return right
  }

  private func takeRight(_ handle: UInt32) throws -> SendRight {
    guard let right = rights.removeValue(forKey: handle)?.take() else { throw HistoryError.unknown("right", handle) }
    return right
  }

  private func takeOnce(_ handle: UInt32) throws -> SendOnceRight {
    guard let right = onces.removeValue(forKey: handle)?.take() else { throw HistoryError.unknown("once", handle) }
    return right
  }

  // MARK: Sending

  /// The body tells the receiver the numbers of what is in the message.
  private func message(_ command: HistoryCommand, reply: UInt32) throws -> Message {
    var writer = MessageWriter()
    writer.write(reply)
    HistoryCommand.write(command.rights, to: &writer)
    var message = Message(id: Int32(command.value), writer)
    for attachment in command.rights {
      switch attachment.kind {
      case .send: message.attach(try takeRight(attachment.handle))
      case .sendOnce: message.attach(try takeOnce(attachment.handle))
      case .port:
        guard let port = ports.removeValue(forKey: attachment.handle)?.take() else {
          throw HistoryError.unknown("port", attachment.handle)
        }
        message.attach(port)
      }
    }
    return message
  }

  private func send(_ command: HistoryCommand) throws -> HistoryResult {
    var message = try message(command, reply: command.object)
    if command.object != 0 { message.setReply(try takeOnce(command.object)) }
    return try settle(try right(command.subject).send(message), command)
  }

  private func answer(_ command: HistoryCommand) throws -> HistoryResult {
    let once = try takeOnce(command.subject)
    return try settle(once.send(try message(command, reply: 0), timeout: .zero), command)
  }

  /// What comes back is held again.
  private func settle(_ outcome: consuming SendOutcome, _ command: HistoryCommand) throws -> HistoryResult {
    switch consume outcome {
    case .sent: return .done
    case .returned(var message, let error):
      if let reply = message.takeReply() { onces[command.object] = OnceHolder(reply) }
      try keep(command.rights, of: &message)
      return HistoryResult(error)
    }
  }

  private func keep(_ attachments: [HistoryCommand.Attachment], of message: inout Message) throws {
    for (index, attachment) in attachments.enumerated() {
      switch attachment.kind {
      case .send: rights[attachment.handle] = RightHolder(try message.takeSendRight(at: index))
      case .sendOnce: onces[attachment.handle] = OnceHolder(try message.takeSendOnceRight(at: index))
      case .port: ports[attachment.handle] = MailboxHolder(try message.takeReceiveRight(at: index))
      }
    }
  }

  private func call(_ command: HistoryCommand) throws {
    let ending = Ending()
    calls[command.object] = ending
    let request = try message(command, reply: command.object)
    try right(command.subject).call(request) { ending.set($0) }
  }

  // MARK: Receiving

  private func receive(from handle: UInt32, atMost count: UInt32) throws -> HistoryResult {
    let box = try port(handle)
    var arrivals: [HistoryResult.Arrival] = []
    while arrivals.count < count {
      guard var message = try box.next() else { break }
      switch message.notification {
      case .noSenders(let count): arrivals.append(.noSenders(UInt32(count)))
      case .sendOnce: arrivals.append(.sendOnce)
      case .deadName(let request): arrivals.append(.deadName(requests.removeValue(forKey: request) ?? 0))
      case .portDeleted(let request): arrivals.append(.portDeleted(requests.removeValue(forKey: request) ?? 0))
      case .sendPossible: throw PortError.system("nobody asks for room in these histories")
      case .portDestroyed: throw PortError.system("a kept port came, and none is kept in these histories")
      case nil: arrivals.append(.message(UInt32(message.id), dead: try keepRights(of: &message)))
      }
    }
    return .arrivals(arrivals)
  }

  private func keepRights(of message: inout Message) throws -> UInt32 {
    let reply: UInt32
    let attachments: [HistoryCommand.Attachment]
    do {
      var reader = MessageReader(message.body)
      reply = try reader.read()
      attachments = try HistoryCommand.readRights(&reader)
    }
    var dead: UInt32 = 0
    for index in attachments.indices where try message.kind(ofRightAt: index) == .deadName { dead |= 1 << index }
    if let right = message.takeReply() { onces[reply] = OnceHolder(right) }
    try keep(attachments, of: &message)
    return dead
  }
}
