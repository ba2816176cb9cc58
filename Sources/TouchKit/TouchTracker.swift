import HIDKit

/// The touches of one window: contacts of hand events become lives that begin once and end once.
struct TouchTracker {
  /// One finger of one device.
  private struct Key: Hashable {
    let sender: UInt64
    let identity: UInt32
  }

  private struct Life {
    let key: Key
    let touch: Touch
  }

  /// What one contact of a frame does, and for a down the view that it hit.
  struct Change {
    let contact: DigitizerEvent
    let view: View?
  }

  /// In the order of their downs.
  private var lives: [Life] = []

  var active: [Touch] { lives.map(\.touch) }

  /// Splits a frame so that each finger does one thing in each part: what it does next must not be told with what it
  /// did before.
  static func parts(of contacts: [DigitizerEvent]) -> [[DigitizerEvent]] {
    var parts: [[DigitizerEvent]] = []
    var seen: Set<UInt32> = []
    for contact in contacts {
      if parts.isEmpty || !seen.insert(contact.identity).inserted {
        parts.append([])
        seen = [contact.identity]
      }
      parts[parts.count - 1].append(contact)
    }
    return parts
  }

  /// Takes in one part of a frame. Returns what changed, by phase, in the order of the phases' first contacts. A second
  /// down without an end between cancels the first touch, before anything else; moves and ends of unknown contacts are
  /// passed over.
  mutating func update(
    with part: [Change], of sender: UInt64, at time: Int64, in window: Window
  ) -> [(Touch.Phase, [Touch])] {
    var cancelled: [Touch] = []
    var changes: [(Touch.Phase, [Touch])] = []
    func note(_ phase: Touch.Phase, _ touch: Touch) {
      if let index = changes.firstIndex(where: { $0.0 == phase }) {
        changes[index].1.append(touch)
      } else {
        changes.append((phase, [touch]))
      }
    }
    for change in part {
      let (contact, point) = (change.contact, change.contact.position)
      let key = Key(sender: sender, identity: contact.identity)
      switch contact.phase {
      case .began:
        if let old = end(key, .cancelled, at: point, time) { cancelled.append(old) }
        let touch = Touch(in: window, change.view, at: point, timestampNanoseconds: time)
        lives.append(Life(key: key, touch: touch))
        note(.began, touch)
      case .moved:
        guard let touch = lives.first(where: { $0.key == key })?.touch else { continue }
        touch.move(to: point, .moved, at: time)
        note(.moved, touch)
      case .ended: if let touch = end(key, .ended, at: point, time) { note(.ended, touch) }
      case .cancelled: if let touch = end(key, .cancelled, at: point, time) { note(.cancelled, touch) }
      case nil: continue
      }
    }
    return cancelled.isEmpty ? changes : [(.cancelled, cancelled)] + changes
  }

  mutating func cancelAll(at time: Int64) -> [Touch] {
    let all = active
    for touch in all { touch.move(to: touch.location, .cancelled, at: time) }
    lives.removeAll()
    return all
  }

  private mutating func end(_ key: Key, _ phase: Touch.Phase, at point: HIDPoint, _ time: Int64) -> Touch? {
    guard let index = lives.firstIndex(where: { $0.key == key }) else { return nil }
    let touch = lives.remove(at: index).touch
    touch.move(to: point, phase, at: time)
    return touch
  }
}
