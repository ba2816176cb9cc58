import LinuxSystem
import Synchronization
import TestSupport

@testable import PortKit

/// How a call ended, in a form that can be compared.
enum Ending: Hashable, Sendable {
  case reply(Int32, [UInt8])
  case returned(Int32, [UInt8], PortError)
  case failed(PortError)

  init(_ outcome: consuming CallOutcome) {
    switch consume outcome {
    case .reply(let message): self = .reply(message.id, TestSupport.bytes(of: message))
    case .returned(let message, let error): self = .returned(message.id, TestSupport.bytes(of: message), error)
    case .failed(let error): self = .failed(error)
    }
  }
}

/// Ends of calls as they come, to be waited for by a thread.
final class Endings: Sendable {
  private let list = Monitor<[Ending]>([])

  func add(_ outcome: consuming CallOutcome) {
    let ending = Ending(outcome)
    list.withLock { $0.append(ending) }
    list.notifyAll()
  }

  var all: [Ending] { list.withLock { $0 } }

  /// What came, once there are so many.
  func wait(for count: Int) -> [Ending] {
    list.wait(until: Deadline(after: .seconds(10)), while: { $0.count < count })
    return all
  }
}

/// Something that happens once and that threads and tasks wait for.
final class Flag: Sendable {
  private let isUp = Monitor(false)

  func raise() {
    isUp.withLock { $0 = true }
    isUp.notifyAll()
  }

  /// False after five seconds.
  @discardableResult
  func wait() -> Bool { isUp.wait(until: Deadline(after: .seconds(5)), while: { !$0 }) }
}

extension RightBox {
  /// In a form for task groups.
  func ending(_ id: Int32, _ body: [UInt8] = [], timeout: Duration? = .seconds(60)) async -> Ending {
    Ending(await right.outcome(of: Message(id: id, body: body), timeout: timeout))
  }
}

extension PortBox {
  /// Waits for the next request and gives its reply right. Long, because the task that calls may wait for a thread of
  /// the pool that another test holds.
  func takeReply() -> OnceBox? {
    guard var request = try? port.receive(timeout: .seconds(240)), let reply = request.takeReply() else { return nil }
    return OnceBox(reply)
  }
}

extension ReceiveRight {
  /// Returns when a packet lies in a wire that nobody has looked at.
  borrowing func waitForMail() async {
    let number = pollDescriptor
    _ = await onThread { try? waitForReadiness(of: number, .readable, until: Deadline(after: .seconds(5))) }
  }
}

extension RightBox {
  /// Returns when so many requests wait for room.
  func waitForQueue(_ count: Int) async {
    let deadline = Deadline(after: .seconds(5))
    while !deadline.hasPassed {
      if right.end.async.withLock({ $0 })?.outbox.withLock({ $0.count }) == count { return }
      await Task.yield()
    }
  }
}

extension PortBox {
  func nextReply() async -> OnceBox? { await onThread { self.takeReply() } }
}
