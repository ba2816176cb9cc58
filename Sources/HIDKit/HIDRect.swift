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
