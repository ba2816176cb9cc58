import HIDKit
import LinuxSystem

/// Who gets the keys. The client of the newest window takes the focus; when its last window goes, the client that had it
/// before gets it back. Keys go to the newest window of the client with the focus.
struct FocusStack {
  private struct Holder {
    let client: ClientID
    /// From the oldest to the newest; never empty.
    var windows: [(created: Instant, id: WindowID)]
  }

  /// The last one has the focus.
  private var holders: [Holder] = []

  /// Where keys go now.
  var target: EventTarget? {
    guard let holder = holders.last, let window = holder.windows.last else { return nil }
    return EventTarget(client: holder.client, window: window.id)
  }

  var isEmpty: Bool { holders.isEmpty }

  mutating func windowCreated(_ window: WindowID, of client: ClientID, created: Instant) {
    var holder = Holder(client: client, windows: [])
    if let index = holders.firstIndex(where: { $0.client == client }) { holder = holders.remove(at: index) }
    let place = holder.windows.firstIndex { $0.created > created } ?? holder.windows.count
    holder.windows.insert((created, window), at: place)
    let newest = holder.windows.last!.created
    holders.insert(holder, at: holders.firstIndex { $0.windows.last!.created > newest } ?? holders.count)
  }

  mutating func windowRemoved(_ window: WindowID, of client: ClientID) {
    guard let index = holders.firstIndex(where: { $0.client == client }) else { return }
    holders[index].windows.removeAll { $0.id == window }
    if holders[index].windows.isEmpty { holders.remove(at: index) }
  }

  mutating func clientRemoved(_ client: ClientID) { holders.removeAll { $0.client == client } }
}

/// A window and its client: where a contact or a key goes.
struct EventTarget: Hashable, Sendable {
  let client: ClientID
  let window: WindowID
}
