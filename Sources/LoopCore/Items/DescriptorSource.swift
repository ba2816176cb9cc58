import LinuxSystem

extension RunLoop {
  /// Calls out while a descriptor is readable or hung up. Takes its turn among the ports of its modes.
  ///
  /// Level-triggered, and it never reads: what the callout leaves there makes it ready again. The descriptor is
  /// borrowed: its owner keeps it open until the source is invalidated. One source per descriptor and mode, and the
  /// descriptor must be one that epoll takes (no regular file).
  package final class DescriptorSource: LoopItem {
    package private(set) var isValid = true

    let number: CInt
    private var callout: (() -> Void)?
    unowned var loop: RunLoop?
    private var places: [Place<PortKey>] = []

    package init(_ number: CInt, _ callout: @escaping () -> Void) {
      self.number = number
      self.callout = callout
    }

    /// Leaves all modes for good and releases the closure. The descriptor stays open.
    package func invalidate() {
      loop?.assertOwner()
      guard isValid else { return }
      isValid = false
      callout = nil
      loop?.evict(self)
    }

    /// What the kernel said may be old: somebody may have read meanwhile.
    func isReadable() -> Bool {
      do {
        return try waitForReadiness(of: number, .readable, until: Deadline(after: .zero))
      } catch {
        preconditionFailure("looking at descriptor \(number): \(error)")
      }
    }

    func perform() { callout?() }

    var modes: [ModeState] { places.map(\.mode) }

    func isIn(_ mode: ModeState) -> Bool { places.contains { $0.mode === mode } }

    func join(_ mode: ModeState, of loop: RunLoop) {
      places.append(Place(mode: mode, ticket: mode.admit(.descriptor(self), bell: loop.remote)))
    }

    func leave(_ mode: ModeState, of loop: RunLoop) {
      guard let index = places.firstIndex(where: { $0.mode === mode }) else { return }
      mode.dismiss(places.remove(at: index).ticket, number: number)
    }
  }
}
