package import PortKit
import LinuxSystem
import Synchronization

/// Lets several threads of a test use one port.
package final class PortBox: Sendable {
  package let port: ReceiveRight
  package init(_ port: consuming ReceiveRight) { self.port = port }
}

/// Lets several threads of a test use one right.
package final class RightBox: Sendable {
  package let right: SendRight
  package init(_ right: consuming SendRight) { self.right = right }
}

/// A port that a thread of a test destroys.
package final class PortHolder: Sendable {
  private let port: Mutex<ReceiveRight?>
  package init(_ port: consuming ReceiveRight) { self.port = Mutex(consume port) }

  package func take() -> ReceiveRight? { port.withLock { $0.take() } }

  /// Receives one request and destroys the port with its reply still owed.
  package func takeRequestAndDestroyPort() -> SendOnceRight? {
    guard let port = take(), var request = try? port.receive(timeout: .seconds(5)) else { return nil }
    return request.takeReply()
  }
}

/// A service on a thread of its own: answers each call with the same body and the id after the request's.
/// Ends with message 0, or when nobody can reach it any more.
package final class EchoThread: Sendable {
  private let thread: WorkerThread

  package init(_ port: consuming ReceiveRight) {
    let box = PortBox(port)
    thread = WorkerThread {
      _ = try? box.port.requestNoSendersNotification()
      while var message = try? box.port.receive(timeout: .seconds(120)) {
        if message.id == 0 || message.notification != nil { return }
        let answer = Message(id: message.id + 1, body: message.body)
        if let reply = message.takeReply() { _ = reply.send(answer) }
      }
    }
  }

  package func stop(_ right: borrowing SendRight) {
    _ = right.send(Message(id: 0))
    thread.join()
  }
}

/// A right after a journey in a message.
package func moved(_ right: consuming SendRight) throws(PortError) -> SendRight {
  let way = try ReceiveRight()
  var message = Message(id: 1)
  message.attach(right)
  try way.makeSendRight().send(message).get()
  var arrived = try way.receive(timeout: .seconds(5))
  return try arrived.takeSendRight(at: 0)
}

/// A port after so many journeys in messages.
package func moved(_ port: consuming ReceiveRight, times: Int = 1) throws(PortError) -> ReceiveRight {
  var port = port
  for _ in 0..<times {
    let way = try ReceiveRight()
    var message = Message(id: 1)
    message.attach(port)
    try way.makeSendRight().send(message).get()
    var arrived = try way.receive(timeout: .seconds(5))
    port = try arrived.takeReceiveRight(at: 0)
  }
  return port
}

package func bytes(of message: borrowing Message) -> [UInt8] {
  var reader = MessageReader(message.body)
  return (try? reader.readBytes(reader.remaining)) ?? []
}

/// The error with which a call ended; nil for a reply.
package func ending(_ outcome: consuming CallOutcome) -> PortError? {
  do {
    _ = try outcome.get()
    return nil
  } catch {
    return error
  }
}
