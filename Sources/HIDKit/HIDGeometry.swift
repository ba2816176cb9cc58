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

/// A width and a height in points.
public struct HIDSize: Sendable, Hashable {
  public var width: Double
  public var height: Double

  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }
}

/// A rectangle on the display in points. Its bounds are half-open, so that windows side by side share no point.
public struct HIDRect: Sendable, Hashable, CustomStringConvertible {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Left and top edges belong to the rectangle, right and bottom edges do not.
  public func contains(_ point: HIDPoint) -> Bool {
    point.x >= x && point.x < x + width && point.y >= y && point.y < y + height
  }

  public var description: String { "\(width)x\(height)+\(x)+\(y)" }
}
