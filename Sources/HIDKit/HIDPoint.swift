/// A point on the display or in a window, in points, y downwards.
public struct HIDPoint: Sendable, Hashable, CustomStringConvertible {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  public var isFinite: Bool { x.isFinite && y.isFinite }

  public var description: String { "(\(x), \(y))" }

  func distance(to other: HIDPoint) -> Double {
    let (dx, dy) = (other.x - x, other.y - y)
    return (dx * dx + dy * dy).squareRoot()
  }

  /// The point at `fraction` of the way to `other`; exactly `other` at 1.
  func moved(towards other: HIDPoint, by fraction: Double) -> HIDPoint {
    guard fraction < 1 else { return other }
    return HIDPoint(x: x + (other.x - x) * fraction, y: y + (other.y - y) * fraction)
  }
}
