public import PortKit

/// Why something is not an event: bytes that cannot be read as one, or a value that must not be sent.
public enum HIDEventError: Error, Hashable, Sendable, CustomStringConvertible {
  case reading(MessageReaderError)
  case unsupportedVersion(UInt8)
  /// More than ``HIDLimits/eventDepth`` levels.
  case tooDeep
  /// More than ``HIDLimits/childrenPerEvent``.
  case tooManyChildren(Int)
  /// A child where its parent can have none: only hands have children, and those are contacts.
  case misplacedChild
  /// Not finite, or beyond ``HIDLimits/eventCoordinate``.
  case numberOutOfRange(Double)

  public var description: String {
    switch self {
    case .reading(let error): error.description
    case .unsupportedVersion(let version): "version \(version) of the event format is not known"
    case .tooDeep: "event with more than \(HIDLimits.eventDepth) levels"
    case .tooManyChildren(let count): "event with \(count) children; \(HIDLimits.childrenPerEvent) are allowed"
    case .misplacedChild: "only a hand has children, and they are contacts"
    case .numberOutOfRange(let number): "\(number) is not usable in an event"
    }
  }
}
