import Synchronization

/// Tells the ports of one process apart: never used twice, and of no meaning elsewhere. A name to compare, not a right.
public struct PortID: Hashable, Sendable, CustomStringConvertible {
  let number: UInt64

  private static let next = Atomic<UInt64>(1)

  init(number: UInt64) { self.number = number }

  static func fresh() -> PortID { PortID(number: next.add(1, ordering: .relaxed).oldValue) }

  public var description: String { "port \(number)" }
}
