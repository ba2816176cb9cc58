public import HIDKit

/// A rectangle that takes touches. Views form a tree; later children are in front of earlier ones.
open class View {
  /// In the parent's coordinates, in points. For a window: on the display.
  public var frame: HIDRect
  public private(set) var subviews: [View] = []
  public private(set) weak var superview: View?
  public var isHidden = false
  public var isUserInteractionEnabled = true
  /// Below 0.01 the view takes no touches.
  public var alpha = 1.0

  public init(frame: HIDRect) { self.frame = frame }

  /// In front of the others. The child's frame is in this view's coordinates.
  public func addSubview(_ view: View) {
    view.removeFromSuperview()
    subviews.append(view)
    view.superview = self
  }

  public func removeFromSuperview() {
    superview?.subviews.removeAll { $0 === self }
    superview = nil
  }

  // MARK: Hit-testing

  /// The view in front at `point`, in this view's coordinates. As on iOS: hidden, disabled and transparent views and
  /// what is in them are passed over, and children get nothing outside their parent's bounds.
  open func hitTest(_ point: HIDPoint) -> View? {
    guard !isHidden, isUserInteractionEnabled, alpha >= 0.01, contains(point) else { return nil }
    for child in subviews.reversed() {
      if let hit = child.hitTest(HIDPoint(x: point.x - child.frame.x, y: point.y - child.frame.y)) { return hit }
    }
    return self
  }

  /// Half-open: the right and lower edges belong to the neighbour.
  open func contains(_ point: HIDPoint) -> Bool {
    HIDRect(x: 0, y: 0, width: frame.width, height: frame.height).contains(point)
  }

  func convert(fromWindow point: HIDPoint) -> HIDPoint {
    // The window's own frame is its place on the display and no offset within itself.
    guard let superview else { return point }
    let outer = superview.convert(fromWindow: point)
    return HIDPoint(x: outer.x - frame.x, y: outer.y - frame.y)
  }

  // MARK: Events

  // Each call has the touches of one phase that began in this view, whatever lies under them now; `location(in: self)`
  // gives their places.

  open func touchesBegan(_ event: TouchEvent) {}
  open func touchesMoved(_ event: TouchEvent) {}
  open func touchesEnded(_ event: TouchEvent) {}
  /// The system took the touches away: the broker was lost, or the window.
  open func touchesCancelled(_ event: TouchEvent) {}
  /// For the window's first responder while the window has the focus.
  open func keyChanged(_ press: KeyPress) {}
}
