/// The observers of one mode, by activity, each list in calling order: ascending `order`, equal ones as added.
struct ObserverList {
  /// Indexed by the number of the activity's bit.
  private var lists = [[RunLoop.Observer]](repeating: [], count: 8)
  /// The activities that have at least one observer.
  private var observed: RunLoop.Activity = []
  /// Also those that observe nothing.
  private(set) var all: [RunLoop.Observer] = []

  @inline(__always)
  func hasObservers(of activity: RunLoop.Activity) -> Bool { !observed.isDisjoint(with: activity) }

  /// A snapshot: what is added or removed while it is called through does not change it. Costs no copy unless
  /// something does.
  @inline(__always)
  func observers(of activity: RunLoop.Activity) -> [RunLoop.Observer] { lists[Self.index(activity)] }

  mutating func insert(_ observer: RunLoop.Observer) {
    precondition(all.count < LoopLimits.itemsPerMode, "too many observers in one mode")
    all.append(observer)
    for activity in RunLoop.Activity.each where observer.activities.contains(activity) {
      let index = Self.index(activity)
      lists[index].insert(observer, at: lists[index].firstIndex { $0.order > observer.order } ?? lists[index].count)
      observed.insert(activity)
    }
  }

  mutating func remove(_ observer: RunLoop.Observer) {
    all.removeAll { $0 === observer }
    for activity in RunLoop.Activity.each where observer.activities.contains(activity) {
      let index = Self.index(activity)
      lists[index].removeAll { $0 === observer }
      if lists[index].isEmpty { observed.remove(activity) }
    }
  }

  @inline(__always)
  private static func index(_ activity: RunLoop.Activity) -> Int { activity.rawValue.trailingZeroBitCount }
}
