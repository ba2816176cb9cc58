public import PortKit

/// The first call of a client. It carries, as message right 0, a send right to the client's event port, on which
/// ``HIDEvents`` arrive; when that port dies the client is gone.
public struct OpenEventSystem: EventSystemRequest {
  public static let messageID = EventSystemMessageID.openEventSystem

  /// For listings and logs; at most ``HIDLimits/textBytes``. No authority comes from it.
  public var clientName: String

  public init(clientName: String) { self.clientName = clientName }

  public init(reading reader: inout MessageReader) throws(EventSystemError) { clientName = try reader.readText() }

  /// - Precondition: the name is within its limit.
  public func write(to writer: inout MessageWriter) { writer.writeText(clientName) }

  public struct Answer: EventSystemValue {
    public var displaySize: HIDSize
    public var clientID: ClientID

    public init(displaySize: HIDSize, clientID: ClientID) {
      self.displaySize = displaySize
      self.clientID = clientID
    }

    public init(reading reader: inout MessageReader) throws(EventSystemError) {
      displaySize = HIDSize(width: try reader.readCoordinate(), height: try reader.readCoordinate())
      clientID = ClientID(rawValue: try reader.readNumber())
    }

    public func write(to writer: inout MessageWriter) {
      writer.write(displaySize.width)
      writer.write(displaySize.height)
      writer.write(clientID.rawValue)
    }
  }
}
