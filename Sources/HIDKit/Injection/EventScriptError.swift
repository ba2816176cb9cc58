/// Why a script cannot be made from its arguments.
public enum EventScriptError: Error, Hashable, Sendable, CustomStringConvertible {
  case notFinite(String)
  /// Beyond ``HIDLimits/displayCoordinate``.
  case pointTooFar(HIDPoint)
  case negativeDuration(Duration)
  /// Above ``HIDLimits/scriptDuration``.
  case durationTooLong(Duration)
  /// Below 1 or above ``HIDLimits/scriptSteps``.
  case stepsOutOfRange(Int)
  /// A pinch's scale and radius must be above 0.
  case notPositive(String, Double)

  public var description: String {
    switch self {
    case .notFinite(let name): "\(name) is not a finite number"
    case .pointTooFar(let point): "point \(point) is too far outside"
    case .negativeDuration(let duration): "duration \(duration) is negative"
    case .durationTooLong(let duration): "duration \(duration) is longer than \(HIDLimits.scriptDuration)"
    case .stepsOutOfRange(let steps): "\(steps) steps; 1 to \(HIDLimits.scriptSteps) are possible"
    case .notPositive(let name, let value): "\(name) must be above 0, not \(value)"
    }
  }
}
