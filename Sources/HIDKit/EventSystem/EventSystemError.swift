public import PortKit

/// Why bytes are not the event-system message that they should be.
public enum EventSystemError: Error, Hashable, Sendable, CustomStringConvertible {
  case reading(MessageReaderError)
  case unsupportedVersion(UInt8)
  case event(HIDEventError)
  /// Longer than ``HIDLimits/textBytes``.
  case textTooLong(bytes: Int)
  /// Not finite, or beyond ``HIDLimits/displayCoordinate``.
  case coordinateOutOfRange(Double)
  /// Width and height must be above 0.
  case emptyFrame(HIDRect)
  /// A list with more entries than its limit.
  case tooMany(Int, limit: Int)

  public var description: String {
    switch self {
    case .reading(let error): error.description
    case .unsupportedVersion(let version): "version \(version) of the event-system protocol is not known"
    case .event(let error): error.description
    case .textTooLong(let bytes): "text of \(bytes) bytes; \(HIDLimits.textBytes) are allowed"
    case .coordinateOutOfRange(let number): "coordinate \(number) is not usable on a display"
    case .emptyFrame(let frame): "frame \(frame) is empty"
    case .tooMany(let count, let limit): "list of \(count) entries; \(limit) are allowed"
    }
  }
}
