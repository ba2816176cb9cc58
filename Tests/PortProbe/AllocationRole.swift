import CAllocationCount
import LinuxSystem
import PortKit

/// Tells how many allocations a thousand calls cost, caller and service together, when everything is warm.
enum AllocationRole {
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
    try call(right, body)
    let before = allocation_count()
    try call(right, body)
    say("allocations \(allocation_count() - before) in \(calls)")
    _ = right.send(Message(id: 0))
    service.join()
  }

  private static func call(_ right: borrowing SendRight, _ body: [UInt8]) throws {
    for _ in 0..<calls { _ = try right.call(Message(id: 1, body: body)).get() }
  }

  private final class Holder: Sendable {
    let port: ReceiveRight
    init(_ port: consuming ReceiveRight) { self.port = port }
  }
}
