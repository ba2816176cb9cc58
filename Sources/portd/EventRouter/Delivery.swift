import HIDKit

/// What one moment means for one client: events for its windows, in their coordinates.
struct Delivery: Hashable, Sendable {
  let client: ClientID
  /// In the order in which things happened; at most `HIDLimits.eventsPerDelivery` events with their children.
  var events: [WindowEvent]

  /// Nothing begins and nothing ends in it: a client that never sees it still has a consistent picture.
  var isDroppable: Bool {
    events.allSatisfy { item in
      switch item.event.payload {
      case .digitizer: item.event.contacts.allSatisfy { $0.phase == .moved }
      case .keyboard(let key): key.isRepeat
      }
    }
  }
}

/// Collects what a moment means and groups it: one delivery per client, one hand per window and sender in it.
///
/// A contact's events stay in their order even when it ends in one window and begins in another in the same frame.
struct DeliveryBuilder {
  private enum Item {
    case hand(WindowID, sender: UInt64, isInjected: Bool, fingers: [DigitizerEvent])
    case event(WindowEvent)
  }

  private let timestamp: Int64
  private var clients: [ClientID] = []
  private var items: [ClientID: [Item]] = [:]

  /// - Parameter timestamp: of every event, in nanoseconds of CLOCK_MONOTONIC.
  init(timestamp: Int64) { self.timestamp = timestamp }

  /// - Parameter finger: in the window's coordinates.
  mutating func add(_ finger: DigitizerEvent, sender: UInt64, isInjected: Bool, to target: EventTarget) {
    let list = open(target.client)
    for index in list.indices.reversed() {
      guard case .hand(let window, let from, let injected, let fingers) = list[index], from == sender else { continue }
      if window == target.window, fingers.count < HIDLimits.childrenPerEvent {
        items[target.client]?[index] = .hand(window, sender: from, isInjected: injected, fingers: fingers + [finger])
        return
      }
      // What the contact does now must not come before what it did in this hand.
      if fingers.contains(where: { $0.identity == finger.identity }) { break }
    }
    items[target.client]?.append(
      .hand(target.window, sender: sender, isInjected: isInjected, fingers: [finger]))
  }

  mutating func add(_ key: KeyboardEvent, sender: UInt64, isInjected: Bool, to target: EventTarget) {
    _ = open(target.client)
    let event = HIDEvent(
      .keyboard(key), timestampNanoseconds: timestamp, senderID: sender, isInjected: isInjected)
    items[target.client]?.append(.event(WindowEvent(windowID: target.window, event: event)))
  }

  private mutating func open(_ client: ClientID) -> [Item] {
    if let list = items[client] { return list }
    clients.append(client)
    items[client] = []
    return []
  }

  /// The deliveries, in the order in which their clients came in. A client has one, unless it has more events than a
  /// delivery may hold, which no single frame does.
  /// - Parameter contacts: as they are now, after the moment.
  consuming func finish(contacts: ContactTable) -> [Delivery] {
    var deliveries: [Delivery] = []
    for client in clients {
      var delivery = Delivery(client: client, events: [])
      var nodes = 0
      for item in items[client] ?? [] {
        let event = makeEvent(item, contacts)
        let count = event.event.nodeCount
        if nodes + count > HIDLimits.eventsPerDelivery {
          deliveries.append(delivery)
          (delivery.events, nodes) = ([], 0)
        }
        delivery.events.append(event)
        nodes += count
      }
      deliveries.append(delivery)
    }
    return deliveries
  }

  private func makeEvent(_ item: Item, _ contacts: ContactTable) -> WindowEvent {
    switch item {
    case .event(let event): event
    case .hand(let window, let sender, let isInjected, let fingers):
      WindowEvent(
        windowID: window,
        event: .hand(
          fingers: fingers, isTouching: contacts.isTouching(window, sender: sender), timestampNanoseconds: timestamp,
          senderID: sender, isInjected: isInjected))
    }
  }
}
