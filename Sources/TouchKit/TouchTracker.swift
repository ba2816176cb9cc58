import HIDKit

/// The touches of one window: contacts of hand events become lives that begin once and end once.
struct TouchTracker {
  /// One finger of one device.
  private struct Key: Hashable {
    let sender: UInt64
    let identity: UInt32
  }

  private var touches: [Key: Touch] = [:]

  var active: [Touch] { Array(touches.values) }

  /// What changed, by phase, in the order of the phases' first contacts. A second down without an end between cancels
  /// the first touch; moves and ends of unknown contacts are passed over.
  mutating func update(with event: HIDEvent, in window: Window) -> [(Touch.Phase, [Touch])] {
    var changes: [(Touch.Phase, [Touch])] = []
    func note(_ phase: Touch.Phase, _ touch: Touch) {
      if let index = changes.firstIndex(where: { $0.0 == phase }) {
        changes[index].1.append(touch)
      } else {
        changes.append((phase, [touch]))
      }
    }
    let time = event.timestampNanoseconds
    for contact in event.contacts {
      let key = Key(sender: event.senderID, identity: contact.identity)
      switch contact.phase {
      case .began:
        if let old = end(key, .cancelled, at: contact.position, time) { note(.cancelled, old) }
        let touch = Touch(
          in: window, window.hitTest(contact.position), at: contact.position, timestampNanoseconds: time)
        touches[key] = touch
        note(.began, touch)
      case .moved:
        guard let touch = touches[key] else { continue }
        touch.move(to: contact.position, .moved, at: time)
        note(.moved, touch)
      case .ended: if let touch = end(key, .ended, at: contact.position, time) { note(.ended, touch) }
      case .cancelled: if let touch = end(key, .cancelled, at: contact.position, time) { note(.cancelled, touch) }
      case nil: continue
      }
    }
    return changes
  }

  mutating func cancelAll(at time: Int64) -> [Touch] {
    let all = active
    for touch in all { touch.move(to: touch.location, .cancelled, at: time) }
    touches.removeAll()
    return all
  }

  private mutating func end(_ key: Key, _ phase: Touch.Phase, at point: HIDPoint, _ time: Int64) -> Touch? {
    guard let touch = touches.removeValue(forKey: key) else { return nil }
    touch.move(to: point, phase, at: time)
    return touch
  }
}
