import CCostCount
import LinuxSystem
import PortKit

/// Tells what a thousand calls cost, caller and service together, when everything is warm.
enum CostRole {
  private static let calls = 1000

  static func run() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let holder = Holder(port)
    let service = WorkerThread {
      while var request = try? holder.port.receive(timeout: .seconds(30)), request.id != 0 {
        guard let reply = request.takeReply() else { return }
        let answer = Message(id: 2, body: request.body)
        _ = reply.send(answer)
      }
    }
    let body = [UInt8](repeating: 1, count: 64)
    try tell("messages", body) { (body) throws(PortError) in _ = try right.call(Message(id: 1, body: body)).get() }
    try tell("bytes", body) { (body) throws(PortError) in _ = try right.call(id: 1, body: body) }
    _ = right.send(Message(id: 0))
    service.join()
  }

  private static func tell(_ name: String, _ body: [UInt8], _ call: (Span<UInt8>) throws(PortError) -> Void) throws {
    for _ in 0..<calls { try call(body.span) }
    let (allocations, systemCalls) = (allocation_count(), system_call_count())
    for _ in 0..<calls { try call(body.span) }
    say("\(name) \(allocation_count() - allocations) \(system_call_count() - systemCalls)")
  }

  private final class Holder: Sendable {
    let port: ReceiveRight
    init(_ port: consuming ReceiveRight) { self.port = port }
  }
}
