import HIDKit

/// Names a contact: senders choose identities as they like, so only both together are unique.
struct ContactKey: Hashable, Comparable, Sendable {
  let sender: UInt64
  let identity: UInt32

  static func < (a: ContactKey, b: ContactKey) -> Bool { (a.sender, a.identity) < (b.sender, b.identity) }
}

/// A contact from its down to its end.
struct Contact: Hashable, Sendable {
  let key: ContactKey
  let isInjected: Bool
  /// Fixed at the down. Nil: swallowed till its end, because nothing was hit, or its window or client is gone.
  var target: EventTarget?
  /// The target's client died under it.
  var isOrphaned = false
  /// As last told by its sender, in points of the display.
  var last: DigitizerEvent
}

/// The contacts that are down, each once.
struct ContactTable {
  private var contacts: [ContactKey: Contact] = [:]
  private var counts: [UInt64: Int] = [:]

  var count: Int { contacts.count }

  subscript(key: ContactKey) -> Contact? { contacts[key] }

  func hasRoom(for sender: UInt64) -> Bool { counts[sender, default: 0] < BrokerLimits.contactsPerSender }

  /// Whether any contact of this sender is down in this window.
  func isTouching(_ window: WindowID, sender: UInt64) -> Bool {
    contacts.values.contains { $0.key.sender == sender && $0.target?.window == window }
  }

  /// Contacts that `predicate` accepts, always in the same order.
  func contacts(where predicate: (Contact) -> Bool) -> [Contact] {
    contacts.values.filter(predicate).sorted { $0.key < $1.key }
  }

  /// - Precondition: the key is free and its sender has room.
  mutating func insert(_ contact: Contact) {
    precondition(contacts[contact.key] == nil && hasRoom(for: contact.key.sender), "contact has no place")
    contacts[contact.key] = contact
    counts[contact.key.sender, default: 0] += 1
  }

  mutating func move(_ key: ContactKey, to event: DigitizerEvent) { contacts[key]?.last = event }

  @discardableResult
  mutating func remove(_ key: ContactKey) -> Contact? {
    guard let contact = contacts.removeValue(forKey: key) else { return nil }
    counts[key.sender, default: 0] -= 1
    if counts[key.sender] == 0 { counts[key.sender] = nil }
    return contact
  }

  /// From now on its sender's words are swallowed till the contact's end.
  mutating func swallow(_ key: ContactKey) { contacts[key]?.target = nil }

  /// The same, because its client is gone.
  mutating func orphan(_ key: ContactKey) {
    contacts[key]?.target = nil
    contacts[key]?.isOrphaned = true
  }

  func checkInvariants() -> [String] {
    var faults: [String] = []
    if counts.values.reduce(0, +) != contacts.count { faults.append("contacts and senders' counts differ") }
    if !counts.values.allSatisfy({ 1...BrokerLimits.contactsPerSender ~= $0 }) { faults.append("contacts of a sender") }
    return faults
  }
}
