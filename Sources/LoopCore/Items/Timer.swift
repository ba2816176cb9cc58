import LinuxSystem

extension RunLoop {
  /// Fires once, or again and again, at moments of the monotonic clock.
  ///
  /// A timer that comes late fires once, late, and keeps its phase: dates that were missed are dropped. It is never
  /// re-entered, also not by nested runs. Belongs to one loop at a time and may be in many of its modes. To be used on
  /// that loop's thread; another thread signals a ``Source0`` whose callout changes the timer.
  public final class Timer: LoopItem {
    /// False after `invalidate()`, and after the one call of a timer that does not repeat.
    public private(set) var isValid = true

    /// Nanoseconds between fires; 0 for a one-shot.
    private let interval: Int64
    private var callout: ((Timer) -> Void)?
    private(set) var due: Instant
    private(set) var isFiring = false
    private var wasSetWhileFiring = false
    unowned var loop: RunLoop?
    /// Tickets are nil while the timer fires: it is not due then.
    private var places: [Place<TimerQueue<Timer>.Ticket?>] = []

    /// - Parameters:
    ///   - delay: counted from now, not from when the timer is added. Negative ones count as zero.
    ///   - period: nil, zero or negative: fires once. Anything positive is at least one nanosecond, and fires at most
    ///     once per turn.
    public init(fireAfter delay: Duration, every period: Duration? = nil, _ fire: @escaping (Timer) -> Void) {
      interval = TimerPhase.interval(period)
      due = Instant.now.advanced(by: max(.zero, delay))
      callout = fire
    }

    public var repeats: Bool { interval > 0 }

    /// Negative when it is overdue. In its own callout: of the date that is being served.
    public var timeUntilFire: Duration { Instant.now.duration(to: due) }

    /// Moves the next fire; a repeating timer has its phase from there on. Negative delays count as zero.
    /// In the callout of a one-shot this has no effect: it is over.
    public func setNextFire(after delay: Duration) {
      loop?.assertOwner()
      guard isValid else { return }
      due = Instant.now.advanced(by: max(.zero, delay))
      wasSetWhileFiring = true
      for place in places {
        if let ticket = place.ticket { place.mode.timers.move(ticket, to: due) }
      }
    }

    /// Takes the timer out of all modes for good and releases its closure.
    public func invalidate() {
      loop?.assertOwner()
      guard isValid else { return }
      isValid = false
      callout = nil
      loop?.evict(self)
    }

    // MARK: The loop's side

    /// True when a pass that began at `now` is to fire it: an earlier callout of the pass may have changed that.
    func isToFire(at now: Instant, on loop: RunLoop) -> Bool {
      isValid && !isFiring && due <= now && self.loop === loop
    }

    func fire() {
      guard let callout else { return }
      isFiring = true
      wasSetWhileFiring = false
      for index in places.indices {
        if let ticket = places[index].ticket.take() { places[index].mode.timers.remove(ticket) }
      }
      callout(self)
      isFiring = false
      guard isValid else { return }
      guard repeats else { return invalidate() }
      if !wasSetWhileFiring { due = TimerPhase.next(after: due, interval: interval, now: .now) }
      for index in places.indices { places[index].ticket = places[index].mode.timers.insert(self, due: due) }
    }

    var modes: [ModeState] { places.map(\.mode) }

    func isIn(_ mode: ModeState) -> Bool { places.contains { $0.mode === mode } }

    func join(_ mode: ModeState, of loop: RunLoop) {
      mode.timerCount += 1
      places.append(Place(mode: mode, ticket: isFiring ? nil : mode.timers.insert(self, due: due)))
    }

    func leave(_ mode: ModeState, of loop: RunLoop) {
      guard let index = places.firstIndex(where: { $0.mode === mode }) else { return }
      mode.timerCount -= 1
      if let ticket = places.remove(at: index).ticket { mode.timers.remove(ticket) }
    }
  }
}
