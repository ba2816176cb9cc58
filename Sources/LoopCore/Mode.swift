extension RunLoop {
  /// The name of a set of items that run together. Any name works; names are compared by value.
  ///
  /// A mode comes into being when something is first put into it, and never vanishes.
  public struct Mode: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ name: String) { rawValue = name }
    public init(stringLiteral name: String) { rawValue = name }

    /// Where a loop is most of the time. The only mode that a fresh loop has, and a common one from the start.
    public static let `default` = Mode("default")
    /// While a finger drags: items that would disturb are not in it.
    public static let tracking = Mode("tracking")
    /// Not a mode: a name for "all modes that are marked common". It can neither be run nor be marked itself.
    public static let common = Mode("common")

    public var description: String { rawValue }
  }
}
