public import PortKit

/// How portd answers a request. Raw values are part of the protocol.
public enum EventSystemStatus: UInt32, Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  case ok = 0
  /// The body could not be read, or a value in it is not possible.
  case malformed = 1
  /// A request that needs an open event system came before ``OpenEventSystem``.
  case notOpen = 2
  /// ``OpenEventSystem`` came twice.
  case alreadyOpen = 3
  /// No such window, or not one of this client's.
  case noSuchWindow = 4
  /// A contact would begin outside the display.
  case offScreen = 5
  /// A table is full: windows, pending injections, clients.
  case limitReached = 6
  case notPermitted = 7
  /// portd is going down.
  case stopping = 8

  public var description: String {
    switch self {
    case .ok: "ok"
    case .malformed: "malformed request"
    case .notOpen: "event system not opened"
    case .alreadyOpen: "event system already opened"
    case .noSuchWindow: "no such window"
    case .offScreen: "point off the display"
    case .limitReached: "limit reached"
    case .notPermitted: "not permitted"
    case .stopping: "portd is stopping"
    }
  }
}

extension EventSystemStatus: EventSystemValue {
  public init(reading reader: inout MessageReader) throws(EventSystemError) {
    let offset = reader.offset
    let number: UInt32 = try reader.readNumber()
    guard let status = EventSystemStatus(rawValue: number) else {
      throw .reading(.invalidValue(UInt64(number), offset: offset))
    }
    self = status
  }

  public func write(to writer: inout MessageWriter) { writer.write(rawValue) }
}
