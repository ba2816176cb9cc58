import PortKit

enum CallerRoles {
  /// Calls so many times, each with a body of its own, and tells how many replies came and fitted. A call that ends
  /// otherwise is told at once.
  static func call(_ name: String, count: Int) throws {
    let service = try Bootstrap.connect().lookUp(try ServiceName(name), waitingUpTo: .seconds(10))
    say("ready")
    var answered = 0
    for number in 0..<count {
      var writer = MessageWriter()
      writer.write(UInt64(number))
      do {
        let reply = try service.call(Message(id: 1, writer)).get()
        var reader = MessageReader(reply.body)
        let value = try reader.read(UInt64.self)
        if reply.id == 2, value == UInt64(number) { answered += 1 } else { say("wrong \(number)") }
      } catch {
        say("ended \(number) \(error)")
        break
      }
    }
    say("answered \(answered)")
  }
}
