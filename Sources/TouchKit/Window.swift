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
      for part in TouchTracker.parts(of: event.contacts) { dispatch(part, of: event, stamps) }
    case .keyboard(let key):
      var stamps = stamps
      stamps.viewed = now()
      (firstResponder ?? self).keyChanged(KeyPress(key: key, stamps: stamps))
    }
  }

  private func dispatch(_ part: [DigitizerEvent], of event: HIDEvent, _ stamps: HopStamps) {
    // Views are asked before the touches change: what they override may look at them.
    let changes = part.map { contact in
      TouchTracker.Change(contact: contact, view: contact.phase == .began ? hitTest(contact.position) : nil)
    }
    let groups = touches.update(
      with: changes, of: event.senderID, at: event.timestampNanoseconds, in: self)
    for (phase, changed) in groups { send(changed, phase, stamps) }
  }

  /// Ends all touches at once: nothing more will come for them.
  func cancelTouches(_ stamps: HopStamps) { send(touches.cancelAll(at: stamps.received), .cancelled, stamps) }

  /// One call for each view, with all its touches of this phase.
  private func send(_ changed: [Touch], _ phase: Touch.Phase, _ stamps: HopStamps) {
    var rest = changed[...]
    while let first = rest.first {
      guard let view = first.view else {
        rest.removeFirst()
        continue
      }
      let touches = rest.filter { $0.view === view && $0.admit(phase) }
      rest.removeAll { $0.view === view }
      if touches.isEmpty { continue }
      var stamps = stamps
      stamps.viewed = now()
      view.take(TouchEvent(touches: touches, stamps: stamps), phase)
    }
  }
}

extension View {
  fileprivate func take(_ event: TouchEvent, _ phase: Touch.Phase) {
    switch phase {
    case .began: touchesBegan(event)
    case .moved: touchesMoved(event)
    case .ended: touchesEnded(event)
    case .cancelled: touchesCancelled(event)
    }
  }
}
