/// A window of the event system. Portd gives each a number of its own and uses none again while it runs.
public struct WindowID: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static func < (a: WindowID, b: WindowID) -> Bool { a.rawValue < b.rawValue }

  public var description: String { String(rawValue) }
}

/// A client of the event system. Portd gives each a number of its own and uses none again while it runs.
public struct ClientID: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static func < (a: ClientID, b: ClientID) -> Bool { a.rawValue < b.rawValue }

  public var description: String { String(rawValue) }
}
