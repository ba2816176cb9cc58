/// Keys in the order in which they came, any of which may leave at any time. Each operation is O(1) on average. Pure.
struct KeyLine<Value> {
  private struct Entry {
    let number: UInt64
    let value: Value
  }

  private struct Place {
    let key: UInt64
    let number: UInt64
  }

  private var values: [UInt64: Entry] = [:]
  /// The first one at `head`. Places whose number is not the key's are given up.
  private var places: [Place] = []
  private var head = 0
  private var nextNumber: UInt64 = 0

  var isEmpty: Bool { values.isEmpty }
  var count: Int { values.count }

  /// The places in memory, given up ones too.
  var placeCount: Int { places.count }

  func contains(_ key: UInt64) -> Bool { values[key] != nil }

  /// A key that is in line stays where it is.
  mutating func append(_ key: UInt64, _ value: Value) {
    if contains(key) { return }
    nextNumber += 1
    values[key] = Entry(number: nextNumber, value: value)
    places.append(Place(key: key, number: nextNumber))
    if places.count > 2 * values.count + 32 { closeUp() }
  }

  mutating func remove(_ key: UInt64) {
    if values.isEmpty { return }
    values[key] = nil
    if values.isEmpty { closeUp() }
  }

  mutating func first() -> (key: UInt64, value: Value)? {
    while head < places.count {
      let place = places[head]
      if let entry = values[place.key], entry.number == place.number { return (place.key, entry.value) }
      head += 1
    }
    return nil
  }

  mutating func removeAll() {
    values.removeAll()
    closeUp()
  }

  private mutating func closeUp() {
    places.removeFirst(head)
    places.removeAll { values[$0.key]?.number != $0.number }
    head = 0
  }
}
