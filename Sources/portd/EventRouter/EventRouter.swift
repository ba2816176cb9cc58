import HIDKit
import LinuxSystem

/// Decides who gets an event. Pure: events in, deliveries out.
///
/// A contact's target is the top window under its down and stays that until the contact's end, wherever it moves; each
/// contact finds its own, so that two fingers of one frame may belong to two clients. A key's target is the newest
/// window at its down. Promised to each client, whatever senders say: every contact and key begins
/// once, ends once – by its end, or by `cancelled` or an up that the router makes – and tells nothing after that. The
/// sender's number in a delivery is the router's word, not the event's.
struct EventRouter {
  let display: HIDSize
  private(set) var windows = WindowTable()
  private(set) var focus = FocusStack()
  private(set) var contacts = ContactTable()
  private(set) var keys = HeldKeyTable()
  private(set) var counts = RouterCounts()

  init(display: HIDSize) { self.display = display }

  private var bounds: HIDRect { HIDRect(x: 0, y: 0, width: display.width, height: display.height) }

  /// Nothing is left of any client or sender.
  var isEmpty: Bool { windows.windows.isEmpty && focus.isEmpty && contacts.count == 0 && keys.count == 0 }

  /// The first point at which a contact of this event would begin outside the display: a reason to refuse an injection.
  func offScreenPoint(in event: HIDEvent) -> HIDPoint? {
    event.contacts.first { $0.phase == .began && !bounds.contains($0.position) }?.position
  }

  /// - Parameters:
  ///   - sender: who the event really comes from.
  ///   - now: stamps the event when it has no time of its own or one in the future.
  ///   - refusing: clients for which nothing new may begin now.
  mutating func route(
    _ event: HIDEvent, from sender: UInt64, at now: Instant, refusing: Set<ClientID> = []
  ) -> [Delivery] {
    let stamp = event.timestampNanoseconds
    var moment = Moment(
      sender: sender, isInjected: event.isInjected, refusing: refusing,
      builder: DeliveryBuilder(timestamp: (1...max(1, now.nanoseconds)).contains(stamp) ? stamp : now.nanoseconds))
    switch event.payload {
    case .digitizer: for contact in event.contacts { route(contact, &moment) }
    case .keyboard(let key): route(key, &moment)
    }
    return moment.builder.finish(contacts: contacts)
  }

  /// What the parts of one event share.
  private struct Moment {
    let sender: UInt64
    let isInjected: Bool
    let refusing: Set<ClientID>
    var builder: DeliveryBuilder
  }

  // MARK: Contacts

  private mutating func route(_ contact: DigitizerEvent, _ moment: inout Moment) {
    guard contact.transducer != .hand else {
      counts.malformed += 1
      return
    }
    let key = ContactKey(sender: moment.sender, identity: contact.identity)
    switch contact.phase {
    case nil: break
    case .began: begin(contact, key, &moment)
    case .moved:
      guard let known = contacts[key] else {
        counts.unknown += 1
        return
      }
      contacts.move(key, to: contact)
      deliver(contact, of: known, &moment.builder)
    case .ended, .cancelled:
      guard let known = contacts.remove(key) else {
        counts.unknown += 1
        return
      }
      deliver(contact, of: known, &moment.builder)
    }
  }

  private mutating func begin(_ contact: DigitizerEvent, _ key: ContactKey, _ moment: inout Moment) {
    if let known = contacts.remove(key) {
      counts.downsRepaired += 1
      cancel(known, &moment.builder)
    }
    guard contacts.hasRoom(for: key.sender) else {
      counts.downsOverLimit += 1
      return
    }
    let new = Contact(
      key: key, isInjected: moment.isInjected, target: target(of: contact.position, moment.refusing), last: contact)
    contacts.insert(new)
    deliver(contact, of: new, &moment.builder)
  }

  private mutating func target(of point: HIDPoint, _ refusing: Set<ClientID>) -> EventTarget? {
    guard bounds.contains(point) else {
      counts.downsOffScreen += 1
      return nil
    }
    guard let window = windows.topmost(at: point) else {
      counts.downsOnNothing += 1
      return nil
    }
    guard !refusing.contains(window.client) else {
      counts.downsRefused += 1
      return nil
    }
    return EventTarget(client: window.client, window: window.id)
  }

  /// In the coordinates that the target window has now.
  private mutating func deliver(_ event: DigitizerEvent, of contact: Contact, _ builder: inout DeliveryBuilder) {
    guard let target = contact.target, let window = windows[target.window] else {
      if contact.isOrphaned { counts.orphaned += 1 }
      return
    }
    var local = event
    local.position = window.local(event.position)
    builder.add(local, sender: contact.key.sender, isInjected: contact.isInjected, to: target)
  }

  private mutating func cancel(_ contact: Contact, _ builder: inout DeliveryBuilder) {
    var event = contact.last
    event.setPhase(.cancelled)
    deliver(event, of: contact, &builder)
  }

  // MARK: Keys

  private mutating func route(_ key: KeyboardEvent, _ moment: inout Moment) {
    let id = HeldKeyID(sender: moment.sender, usagePage: key.usagePage, usage: key.usage)
    if !key.isDown {
      guard let held = keys.remove(id) else {
        counts.unknown += 1
        return
      }
      deliver(key, of: held, &moment.builder)
    } else if let held = keys[id] {
      if !key.isRepeat { counts.downsRepaired += 1 }
      var again = key
      again.isRepeat = true
      deliver(again, of: held, &moment.builder)
    } else if key.isRepeat {
      counts.unknown += 1
    } else if keys.hasRoom(for: moment.sender) {
      let new = HeldKey(id: id, isInjected: moment.isInjected, target: keyTarget(moment.refusing))
      keys.insert(new)
      deliver(key, of: new, &moment.builder)
    } else {
      counts.downsOverLimit += 1
    }
  }

  private mutating func keyTarget(_ refusing: Set<ClientID>) -> EventTarget? {
    guard let target = focus.target else {
      counts.downsOnNothing += 1
      return nil
    }
    guard !refusing.contains(target.client) else {
      counts.downsRefused += 1
      return nil
    }
    return target
  }

  private mutating func deliver(_ event: KeyboardEvent, of key: HeldKey, _ builder: inout DeliveryBuilder) {
    guard let target = key.target else {
      if key.isOrphaned { counts.orphaned += 1 }
      return
    }
    builder.add(event, sender: key.id.sender, isInjected: key.isInjected, to: target)
  }

  private mutating func release(_ key: HeldKey, _ builder: inout DeliveryBuilder) {
    let event = KeyboardEvent(usagePage: key.id.usagePage, usage: key.id.usage, isDown: false)
    deliver(event, of: key, &builder)
  }

  // MARK: Windows, clients and senders come and go

  /// - Throws: ``EventSystemStatus/limitReached``.
  mutating func createWindow(
    client: ClientID, frame: HIDRect, zOrder: Int32, title: String, created: Instant
  ) throws(EventSystemStatus) -> WindowID {
    let id = try windows.insert(client: client, frame: frame, zOrder: zOrder, title: title, created: created)
    focus.windowCreated(id, of: client, created: created)
    return id
  }

  /// Contacts stay with the window; their next positions are told in its new coordinates.
  /// - Throws: ``EventSystemStatus/noSuchWindow``.
  mutating func moveWindow(
    _ id: WindowID, of client: ClientID, frame: HIDRect?, zOrder: Int32?
  ) throws(EventSystemStatus) {
    try windows.move(id, of: client, frame: frame, zOrder: zOrder)
  }

  /// Ends what the window has, once; the rest of those contacts and keys is swallowed.
  /// - Throws: ``EventSystemStatus/noSuchWindow``.
  mutating func destroyWindow(
    _ id: WindowID, of client: ClientID, at now: Instant
  ) throws(EventSystemStatus) -> [Delivery] {
    guard windows[id]?.client == client else { throw .noSuchWindow }
    var builder = DeliveryBuilder(timestamp: now.nanoseconds)
    for contact in contacts.contacts(where: { $0.target?.window == id }) {
      cancel(contact, &builder)
      contacts.swallow(contact.key)
    }
    for key in keys.keys(where: { $0.target?.window == id }) {
      release(key, &builder)
      keys.swallow(key.id)
    }
    try windows.remove(id, of: client)
    focus.windowRemoved(id, of: client)
    return builder.finish(contacts: contacts)
  }

  /// The client is gone: its windows go, what it was told of is swallowed, others notice nothing.
  mutating func removeClient(_ client: ClientID) {
    for contact in contacts.contacts(where: { $0.target?.client == client }) { contacts.orphan(contact.key) }
    for key in keys.keys(where: { $0.target?.client == client }) { keys.orphan(key.id) }
    windows.removeAll(of: client)
    focus.clientRemoved(client)
  }

  /// The sender is gone: its contacts are cancelled and its keys released.
  mutating func removeSender(_ sender: UInt64, at now: Instant) -> [Delivery] {
    var builder = DeliveryBuilder(timestamp: now.nanoseconds)
    for contact in contacts.contacts(where: { $0.key.sender == sender }) {
      cancel(contact, &builder)
      contacts.remove(contact.key)
    }
    for key in keys.keys(where: { $0.id.sender == sender }) {
      release(key, &builder)
      keys.remove(key.id)
    }
    return builder.finish(contacts: contacts)
  }

  /// What is wrong with the router; empty when it is well.
  func checkInvariants() -> [String] {
    var faults = windows.checkInvariants() + contacts.checkInvariants() + keys.checkInvariants()
    let targets =
      contacts.contacts { $0.target != nil }.map(\.target) + keys.keys { $0.target != nil }.map(\.target)
      + [focus.target]
    for target in targets.compactMap(\.self) where windows[target.window]?.client != target.client {
      faults.append("window \(target.window) is a target and does not exist")
    }
    if focus.isEmpty != windows.windows.isEmpty { faults.append("focus and windows differ") }
    return faults
  }
}
