public import HIDKit

/// The root of a view tree, with a place on the display.
open class Window: View {
  public let title: String
  public let zOrder: Int32
  /// The broker's number for it; nil while there is no broker, and another one after each.
  public internal(set) var id: WindowID?
  /// Gets the keys while this window has the focus; the window itself when nil.
  public weak var firstResponder: View?
  /// CLOCK_MONOTONIC at its first creation: keeps focus and stacking when a new broker takes over.
  var createdNanoseconds: Int64 = 0

  private var touches = TouchTracker()

  public init(frame: HIDRect, zOrder: Int32 = 0, title: String = "") {
    self.title = title
    self.zOrder = zOrder
    super.init(frame: frame)
  }

  /// Touches that are down now.
  public var activeTouches: [Touch] { touches.active }

  // MARK: Dispatch

  func dispatch(_ event: HIDEvent, _ stamps: HopStamps) {
    switch event.payload {
    case .digitizer:
      for (phase, changed) in touches.update(with: event, in: self) { send(changed, phase, stamps) }
    case .keyboard(let key):
      var stamps = stamps
      stamps.viewed = now()
      (firstResponder ?? self).keyChanged(KeyPress(key: key, stamps: stamps))
    }
  }

  /// Ends all touches at once: nothing more will come for them.
  func cancelTouches(_ stamps: HopStamps) { send(touches.cancelAll(at: stamps.received), .cancelled, stamps) }

  /// One call for each view, with all its touches of this phase.
  private func send(_ changed: [Touch], _ phase: Touch.Phase, _ stamps: HopStamps) {
    var rest = changed[...]
    while let first = rest.first {
      let view = first.view ?? self
      var stamps = stamps
      stamps.viewed = now()
      let event = TouchEvent(touches: rest.filter { ($0.view ?? self) === view }, stamps: stamps)
      rest.removeAll { ($0.view ?? self) === view }
      switch phase {
      case .began: view.touchesBegan(event)
      case .moved: view.touchesMoved(event)
      case .ended: view.touchesEnded(event)
      case .cancelled: view.touchesCancelled(event)
      }
    }
  }
}
