extension RunLoop {
  /// Called at chosen moments of a run. Does not keep a mode from being empty.
  ///
  /// Belongs to one loop at a time and may be in many of its modes. To be used on that loop's thread.
  public final class Observer: LoopItem {
    public let activities: Activity
    /// Lower orders are called first; equal ones in the order in which they were added.
    public let order: Int
    public let repeats: Bool
    /// False after `invalidate()`, and after the one call of an observer that does not repeat.
    public private(set) var isValid = true

    private var callout: ((Activity) -> Void)?
    private var isFiring = false
    unowned var loop: RunLoop?
    private(set) var modes: [ModeState] = []

    /// An observer that does not repeat is valid during its one call and invalid after it.
    public init(
      _ activities: Activity, order: Int = 0, repeats: Bool = true, _ callout: @escaping (Activity) -> Void
    ) {
      self.activities = activities
      self.order = order
      self.repeats = repeats
      self.callout = callout
    }

    /// Takes the observer out of all modes for good and releases its closure.
    public func invalidate() {
      loop?.assertOwner()
      guard isValid else { return }
      isValid = false
      callout = nil
      loop?.evict(self)
    }

    /// Never re-entered: a nested run in the callout passes this observer over.
    func call(_ activity: Activity) {
      guard isValid, !isFiring, let callout else { return }
      isFiring = true
      callout(activity)
      isFiring = false
      if !repeats { invalidate() }
    }

    func isIn(_ mode: ModeState) -> Bool { modes.contains { $0 === mode } }

    func join(_ mode: ModeState, of loop: RunLoop) {
      modes.append(mode)
      mode.observers.insert(self)
    }

    func leave(_ mode: ModeState, of loop: RunLoop) {
      modes.removeAll { $0 === mode }
      mode.observers.remove(self)
    }
  }
}
