public import PortKit

/// Why the event system did not do what was asked.
public enum EventSystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case broker(BootstrapError)
  /// The broker refused.
  case refused(EventSystemStatus)
  case malformedAnswer(EventSystemError)
  /// A client's name or a window's title.
  case textTooLong(bytes: Int)

  public var description: String {
    switch self {
    case .broker(let error): error.description
    case .refused(let status): "the broker refused: \(status)"
    case .textTooLong(let bytes): "a name of \(bytes) bytes; \(HIDLimits.textBytes) are allowed"
    case .malformedAnswer(let error): "the broker's answer is not understood: \(error)"
    }
  }
}
