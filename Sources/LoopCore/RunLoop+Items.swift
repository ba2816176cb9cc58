extension RunLoop {
  // Adding an item to a mode that it is in, an invalid item, or an item of another loop does nothing.
  // Adding to `.common` makes it a common item: it goes into all common modes, also those marked later.
  // Removing from one mode leaves a common item common; removing from `.common` takes it out of all common modes.

  public func add(_ source: Source0, to mode: Mode = .default) { insert(source, mode) }
  public func add(_ source: Source1, to mode: Mode = .default) { insert(source, mode) }
  public func add(_ timer: Timer, to mode: Mode = .default) { insert(timer, mode) }
  public func add(_ observer: Observer, to mode: Mode = .default) { insert(observer, mode) }
  package func add(_ source: DescriptorSource, to mode: Mode = .default) { insert(source, mode) }

  public func remove(_ source: Source0, from mode: Mode = .default) { withdraw(source, mode) }
  public func remove(_ source: Source1, from mode: Mode = .default) { withdraw(source, mode) }
  public func remove(_ timer: Timer, from mode: Mode = .default) { withdraw(timer, mode) }
  public func remove(_ observer: Observer, from mode: Mode = .default) { withdraw(observer, mode) }
  package func remove(_ source: DescriptorSource, from mode: Mode = .default) { withdraw(source, mode) }

  public func contains(_ source: Source0, in mode: Mode = .default) -> Bool { holds(source, mode) }
  public func contains(_ source: Source1, in mode: Mode = .default) -> Bool { holds(source, mode) }
  public func contains(_ timer: Timer, in mode: Mode = .default) -> Bool { holds(timer, mode) }
  public func contains(_ observer: Observer, in mode: Mode = .default) -> Bool { holds(observer, mode) }
  package func contains(_ source: DescriptorSource, in mode: Mode = .default) -> Bool { holds(source, mode) }

  /// Marks the mode common: the present common items go into it, later ones will. There is no unmarking.
  /// The name "common" cannot be marked; that does nothing.
  public func addCommonMode(_ mode: Mode) {
    assertOwner()
    for item in commonModes.mark(mode) { put(item, into: mode) }
  }

  // MARK: The same for all kinds

  private func insert(_ item: some LoopItem, _ mode: Mode) {
    assertOwner()
    guard item.isValid, item.loop == nil || item.loop === self else { return }
    guard mode == .common else { return put(item, into: mode) }
    item.loop = self
    for mode in commonModes.insert(item, id: ObjectIdentifier(item)) { put(item, into: mode) }
  }

  private func put(_ item: some LoopItem, into mode: Mode) {
    let state = state(making: mode)
    // Asked for each mode anew: the schedule hook of the last one may have changed everything.
    guard item.isValid, !item.isIn(state) else { return }
    item.loop = self
    item.join(state, of: self)
  }

  private func withdraw(_ item: some LoopItem, _ mode: Mode) {
    assertOwner()
    guard item.loop === self else { return }
    for mode in mode == .common ? commonModes.remove(ObjectIdentifier(item)) : [mode] {
      guard let state = state(of: mode), item.isIn(state) else { continue }
      item.leave(state, of: self)
    }
    forgetIfGone(item)
  }

  private func forgetIfGone(_ item: some LoopItem) {
    if item.modes.isEmpty && !commonModes.contains(ObjectIdentifier(item)) { item.loop = nil }
  }

  /// Takes the item out of everything.
  func evict(_ item: some LoopItem) {
    _ = commonModes.remove(ObjectIdentifier(item))
    while let state = item.modes.first { item.leave(state, of: self) }
    forgetIfGone(item)
  }

  private func holds(_ item: some LoopItem, _ mode: Mode) -> Bool {
    assertOwner()
    guard item.loop === self else { return false }
    if mode == .common { return commonModes.contains(ObjectIdentifier(item)) }
    guard let state = state(of: mode) else { return false }
    return item.isIn(state)
  }
}
