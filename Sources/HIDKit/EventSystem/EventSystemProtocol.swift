public import PortKit

/// Messages between portd's event system and its clients, declared here once for both sides.
///
/// Every body begins with the version of the protocol. A request is answered by a message with its id + 100 (as MIG
/// does), whose body is an ``EventSystemReply``. Bodies hold values only; the one right of the protocol, a client's event
/// port, travels in ``OpenEventSystem`` beside the body. No body claims an identity: who a client is, the kernel says.
public enum EventSystemProtocol {
  public static let version: UInt8 = 1

  /// Name under which portd offers the event system.
  public static let serviceName = "org.portkit.event-system"

  static let replyOffset: Int32 = 100
}

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

/// A value that a body of the protocol holds.
public protocol EventSystemValue: Sendable, Hashable {
  /// Reads the value; never traps, whatever the bytes are.
  init(reading reader: inout MessageReader) throws(EventSystemError)
  /// Writes what `init(reading:)` reads.
  func write(to writer: inout MessageWriter)
}

/// A value that is the whole body of one message.
public protocol EventSystemMessage: EventSystemValue {
  static var messageID: EventSystemMessageID { get }
}

/// A message that is answered by an ``EventSystemReply`` of `Answer`.
public protocol EventSystemRequest: EventSystemMessage {
  associatedtype Answer: EventSystemValue
}

extension EventSystemRequest {
  public typealias Reply = EventSystemReply<Answer>
}

extension EventSystemValue {
  /// Reads a whole message body: version, value, and nothing behind it.
  public init(body: Span<UInt8>) throws(EventSystemError) {
    var reader = MessageReader(body)
    let version: UInt8 = try reader.readNumber()
    guard version == EventSystemProtocol.version else { throw .unsupportedVersion(version) }
    try self.init(reading: &reader)
    do { try reader.expectEnd() } catch { throw .reading(error) }
  }

  /// The value as a whole message body.
  public func makeBody() -> [UInt8] {
    var writer = MessageWriter()
    writer.write(EventSystemProtocol.version)
    write(to: &writer)
    return writer.bytes
  }
}

/// Answer without content.
public struct EventSystemDone: EventSystemValue {
  public init() {}
  public init(reading reader: inout MessageReader) throws(EventSystemError) {}
  public func write(to writer: inout MessageWriter) {}
}
