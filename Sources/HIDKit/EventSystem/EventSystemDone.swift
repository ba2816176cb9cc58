public import PortKit

/// Answer without content.
public struct EventSystemDone: EventSystemValue {
  public init() {}
  public init(reading reader: inout MessageReader) throws(EventSystemError) {}
  public func write(to writer: inout MessageWriter) {}
}
