/// A value that is the whole body of one message.
public protocol EventSystemMessage: EventSystemValue {
  static var messageID: EventSystemMessageID { get }
}
