import HIDKit
import LinuxSystem

/// Who gets the keys: the newest window, and when it goes, the newest of the others. Which one that is follows from the
/// windows alone, so that a broker to which they are put back after a restart gives the same answer.
struct FocusStack {
  private struct Entry {
    let created: Instant
    let target: EventTarget
  }

  /// From the oldest to the newest; those of one moment in the order in which they came.
  private var windows: [Entry] = []

  /// Where keys go now.
  var target: EventTarget? { windows.last?.target }

  var isEmpty: Bool { windows.isEmpty }

  mutating func windowCreated(_ window: WindowID, of client: ClientID, created: Instant) {
    let place = windows.firstIndex { $0.created > created } ?? windows.count
    windows.insert(Entry(created: created, target: EventTarget(client: client, window: window)), at: place)
  }

  mutating func windowRemoved(_ window: WindowID, of client: ClientID) {
    windows.removeAll { $0.target == EventTarget(client: client, window: window) }
  }

  mutating func clientRemoved(_ client: ClientID) { windows.removeAll { $0.target.client == client } }
}

/// A window and its client: where a contact or a key goes.
struct EventTarget: Hashable, Sendable {
  let client: ClientID
  let window: WindowID
}
