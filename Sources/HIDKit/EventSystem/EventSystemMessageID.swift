/// Message ids of the event system: 21 000…21 099 and, for replies, 21 100…21 199.
public enum EventSystemMessageID: Int32, Sendable, Hashable, CaseIterable {
  /// Client to portd, answered.
  case openEventSystem = 21_000
  case createWindow = 21_001
  case destroyWindow = 21_002
  case moveWindow = 21_003
  case inject = 21_004
  case listWindows = 21_005
  /// Client to portd, not answered.
  case finished = 21_050
  /// Portd to client, not answered.
  case hidEvents = 21_060

  /// Id of the reply, for messages that have one.
  public var replyID: Int32 { rawValue + EventSystemProtocol.replyOffset }
}
