extension RunLoop {
  /// A source that is signalled by hand, and performed in the next turn of a run in one of its modes.
  ///
  /// Belongs to one loop at a time (CFRunLoop shares sources between loops; here the closure is bound to one thread,
  /// so a source per loop does that) and may be in many of its modes. To be used on that loop's thread; other threads
  /// signal through ``signaller``.
  public final class Source0: LoopItem {
    public typealias Hook = (_ loop: RunLoop, _ mode: Mode) -> Void

    /// Lower orders are performed first; equal ones in the order of their first signals.
    public let order: Int
    /// May be passed to other threads.
    public let signaller = Signaller()
    public private(set) var isValid = true

    private let callout: () -> Void
    private let scheduled: Hook?
    private let cancelled: Hook?
    unowned var loop: RunLoop?
    private(set) var modes: [ModeState] = []

    /// - Parameters:
    ///   - onSchedule: called when the source enters a mode, once per mode; never with the name "common".
    ///   - onCancel: called when the source leaves a mode, also by `invalidate()` and at the end of the loop's thread.
    public init(
      order: Int = 0, onSchedule: Hook? = nil, onCancel: Hook? = nil, _ perform: @escaping () -> Void
    ) {
      self.order = order
      scheduled = onSchedule
      cancelled = onCancel
      callout = perform
    }

    /// See ``Signaller/signal()``. Within its own callout: perform again in the next turn, which does not sleep.
    public func signal() { signaller.signal() }

    public var isSignalled: Bool { signaller.firstSignal != 0 }

    /// Drops a pending signal and leaves all modes for good. Later signals and adds are ignored. The closure is
    /// released with the source.
    public func invalidate() {
      loop?.assertOwner()
      guard isValid else { return }
      isValid = false
      signaller.invalidate()
      loop?.evict(self)
    }

    /// Performs if the source is still valid and signalled; that it may have left the mode since does not matter.
    /// The signal is taken first, so one that comes during the callout counts for the next turn.
    func performIfSignalled() -> Bool {
      guard isValid, signaller.take() else { return false }
      callout()
      return true
    }

    func isIn(_ mode: ModeState) -> Bool { modes.contains { $0 === mode } }

    func join(_ mode: ModeState, of loop: RunLoop) {
      if modes.isEmpty { signaller.attach(to: loop.remote) }
      modes.append(mode)
      mode.insert(self)
      scheduled?(loop, mode.name)
    }

    func leave(_ mode: ModeState, of loop: RunLoop) {
      modes.removeAll { $0 === mode }
      mode.remove(self)
      if modes.isEmpty { signaller.detach() }
      cancelled?(loop, mode.name)
    }
  }
}
