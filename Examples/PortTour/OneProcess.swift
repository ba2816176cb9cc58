import Dispatch
import PortKit

enum OneProcess {
  static func tour() throws {
    try firstMessage()
    try travellingRights()
    try fullQueue()
    try batch()
    try betweenThreads()
    try deadName()
    try sendOnce()
    try portSet()
    try guardAndStatus()
    try keptPort()
    try shutDown()
  }

  private static func firstMessage() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    try right.send(Message(id: 1, body: [1, 2, 3])).get()
    let message = try port.receive()
    say("message \(message.id) with \(message.body.count) bytes")
  }

  private static func travellingRights() throws {
    let postOffice = try ReceiveRight()
    let toPostOffice = try postOffice.makeSendRight()
    let home = try ReceiveRight()

    var letter = Message(id: 2)
    try letter.attach(makingSendRightFrom: home)  // a fresh right to a port
    try letter.attach(copying: toPostOffice)  // a copy of one that stays here
    letter.attach(try home.makeSendOnceRight())  // a right that is given away
    try toPostOffice.send(letter).get()

    var arrived = try postOffice.receive()
    for index in 0..<arrived.rightsCount { say("right \(index): \(try arrived.kind(ofRightAt: index))") }
    let answer = try arrived.takeSendOnceRight(at: 2)
    try answer.send(Message(id: 3)).get()
    say("message \(try home.receive().id) came home")
  }

  private static func fullQueue() throws {
    let port = try ReceiveRight()
    try port.setQueueLimit(2)
    let right = try port.makeSendRight()
    for id in 1...3 {
      switch right.send(Message(id: Int32(id)), timeout: .zero) {
      case .sent: say("sent \(id)")
      case .returned(let message, let error):
        say("not sent: \(message.id), \(error)")
        _ = try port.receive()
        try right.send(message).get()  // The same message, with every right that was in it.
        say("sent \(id) after all")
      }
    }
  }

  private static func batch() throws {
    let port = try ReceiveRight()
    try port.setQueueLimit(100)
    let right = try port.makeSendRight()
    var batch = MessageBatch()
    for id in 1...100 { batch.append(Message(id: Int32(id))) }
    try right.send(batch).get()
    var last: Int32 = 0
    for _ in 1...100 { last = try port.receive().id }
    say("batch through \(last)")
  }

  private static func betweenThreads() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    // A port and its rights are values with one owner each. An object shares them between threads.
    let desk = Desk(port)
    let clerk = DispatchQueue(label: "clerk")
    clerk.async { while desk.answerOne() {} }
    let question: [UInt8] = [6, 7]
    let product = try right.call(id: 1, body: question.span)
    say("a thread says \(product.body[0])")
    try desk.port.destroy()  // The thread that waits returns at once.
  }

  private static func deadName() throws {
    let own = try ReceiveRight()
    let other = try ReceiveRight()
    let right = try other.makeSendRight()
    let request = try right.requestDeadNameNotification(to: own)
    _ = consume other  // What a crash does as well.
    let word = try own.receive()
    say("dead name: \(word.notification == .deadName(request))")
    if case .returned(let message, let error) = right.send(Message(id: 4)) {
      say("message \(message.id) came back: \(error)")
    }
  }

  private static func sendOnce() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendOnceRight()
    _ = consume right
    let word = try port.receive()
    say("unused: \(word.notification == .sendOnce)")
  }

  private static func portSet() throws {
    let orders = try ReceiveRight()
    let questions = try ReceiveRight()
    let set = try PortSet()
    try set.insert(orders)
    try set.insert(questions)
    try questions.makeSendRight().send(Message(id: 8)).get()
    let message = try set.receive(timeout: .seconds(5))
    say("message \(message.id) is a question: \(message.localPort == questions.id)")
  }

  private static func guardAndStatus() throws {
    let port = try ReceiveRight(guard: 0x5afe)
    let right = try port.makeSendRight()
    do { try port.destroy() } catch { say("not destroyed: \(error)") }
    let status = try port.status()
    say("has senders: \(status.hasSenders), made \(status.makeSendCount)")
    try port.destroy(guard: 0x5afe)
    say("dead name: \(right.isDeadName)")
  }

  private static func keptPort() throws {
    let keeper = try ReceiveRight()
    let keeping = try keeper.makeKeepingSendRight()
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    try port.requestPortDestroyedNotification(to: keeping)
    try right.send(Message(id: 9)).get()
    _ = consume port  // The death of its process does the same.
    var word = try keeper.receive(timeout: .seconds(5))
    let saved = try word.takeReceiveRight(at: 0)
    say("message \(try saved.receive().id) outlived the owner of its port")
  }

  private static func shutDown() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    try right.send(Message(id: 5)).get()
    try right.send(Message(id: 6)).get()
    // What was sent before is handled; what comes later goes back to its sender.
    try port.shutDown { request in
      say("handled \(request.id)")
      return nil
    }
    if case .returned(let message, let error) = right.send(Message(id: 7)) {
      say("message \(message.id) came too late: \(error)")
    }
  }
}

/// What several threads use.
final class Desk: Sendable {
  let port: ReceiveRight

  init(_ port: consuming ReceiveRight) { self.port = port }

  /// False when the port is gone.
  func answerOne() -> Bool {
    guard var request = try? port.receive() else { return false }
    let product = request.body[0] * request.body[1]
    if let reply = request.takeReply() { _ = reply.send(Message(id: 2, body: [product])) }
    return true
  }
}
