public import PortKit

/// A value that a body of the protocol holds.
public protocol EventSystemValue: Sendable, Hashable {
  /// Reads the value; never traps, whatever the bytes are.
  init(reading reader: inout MessageReader) throws(EventSystemError)
  /// Writes what `init(reading:)` reads.
  func write(to writer: inout MessageWriter)
}
