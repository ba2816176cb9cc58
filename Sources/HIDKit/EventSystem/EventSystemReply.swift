public import PortKit

/// What portd answers to a request: its answer, or why there is none.
public enum EventSystemReply<Answer: EventSystemValue>: EventSystemValue {
  case success(Answer)
  /// Never with ``EventSystemStatus/ok``.
  case failure(EventSystemStatus)

  public init(reading reader: inout MessageReader) throws(EventSystemError) {
    switch try EventSystemStatus(reading: &reader) {
    case .ok: self = .success(try Answer(reading: &reader))
    case let status: self = .failure(status)
    }
  }

  public func write(to writer: inout MessageWriter) {
    switch self {
    case .success(let answer):
      EventSystemStatus.ok.write(to: &writer)
      answer.write(to: &writer)
    case .failure(let status):
      precondition(status != .ok, "a failure needs a reason")
      status.write(to: &writer)
    }
  }

  public func get() throws(EventSystemStatus) -> Answer {
    switch self {
    case .success(let answer): return answer
    case .failure(let status): throw status
    }
  }
}
