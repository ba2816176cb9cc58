/// A message that is answered by an ``EventSystemReply`` of `Answer`.
public protocol EventSystemRequest: EventSystemMessage {
  associatedtype Answer: EventSystemValue
}

extension EventSystemRequest {
  public typealias Reply = EventSystemReply<Answer>
}
