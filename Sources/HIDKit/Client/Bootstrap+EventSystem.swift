public import PortKit

/// Why the event system did not do what was asked.
public enum EventSystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case broker(BootstrapError)
  /// The broker refused.
  case refused(EventSystemStatus)
  case malformedAnswer(EventSystemError)

  public var description: String {
    switch self {
    case .broker(let error): error.description
    case .refused(let status): "the broker refused: \(status)"
    case .malformedAnswer(let error): "the broker's answer is not understood: \(error)"
    }
  }
}

extension Bootstrap {
  /// One request of the event system. Blocks until its answer.
  public func perform<Request: EventSystemRequest>(
    _ request: Request, timeout: Duration? = nil
  ) throws(EventSystemFailure) -> Request.Answer {
    try perform(request, timeout: timeout) { (_) throws(PortError) in }
  }

  /// The same with rights beside the body.
  func perform<Request: EventSystemRequest>(
    _ request: Request, timeout: Duration? = nil, attach: (inout Message) throws(PortError) -> Void
  ) throws(EventSystemFailure) -> Request.Answer {
    let body = request.makeBody()
    let reply: Message
    do {
      reply = try self.request(timeout: timeout) { () throws(PortError) -> Message in
        var message = Message(id: Request.messageID.rawValue, body: body)
        try attach(&message)
        return message
      }
    } catch {
      throw .broker(error)
    }
    return try Self.answer(Request.self, in: reply)
  }

  private static func answer<Request: EventSystemRequest>(
    _ type: Request.Type, in reply: borrowing Message
  ) throws(EventSystemFailure) -> Request.Answer {
    let result: Request.Reply
    do { result = try Request.Reply(body: reply.body) } catch { throw .malformedAnswer(error) }
    do { return try result.get() } catch { throw .refused(error) }
  }
}
