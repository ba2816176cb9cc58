/// Which modes are common, and which items follow them.
///
/// Marking a mode brings the present common items into it; an item made common goes into all marked modes. There is no
/// unmarking. The answers name what is to be done; who asks does it. Pure.
package struct CommonModes<ID: Hashable, Item> {
  /// In the order in which they were marked.
  package private(set) var modes: [RunLoop.Mode] = [.default]
  private var items: [ID: (rank: UInt64, item: Item)] = [:]
  private var rank: UInt64 = 0

  package init() {}

  @inline(__always)
  package func isCommon(_ mode: RunLoop.Mode) -> Bool { modes.contains(mode) }

  /// The items to be put into the new common mode, in the order in which they were made common. None when the mode was
  /// marked before. The name "common" itself cannot be marked.
  package mutating func mark(_ mode: RunLoop.Mode) -> [Item] {
    guard mode != .common, !modes.contains(mode) else { return [] }
    precondition(modes.count < LoopLimits.modes, "too many common modes")
    modes.append(mode)
    return allItems
  }

  package var allItems: [Item] { items.values.sorted { $0.rank < $1.rank }.map(\.item) }

  package func contains(_ id: ID) -> Bool { items[id] != nil }

  /// The modes into which the item is to be put.
  package mutating func insert(_ item: Item, id: ID) -> [RunLoop.Mode] {
    if items[id] == nil {
      rank += 1
      items[id] = (rank, item)
    }
    return modes
  }

  /// The modes that the item is to leave; none when it is no common item. It leaves also those that it was put into
  /// by name.
  package mutating func remove(_ id: ID) -> [RunLoop.Mode] { items.removeValue(forKey: id) == nil ? [] : modes }
}
