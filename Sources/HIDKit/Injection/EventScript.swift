internal import LinuxSystem

/// A gesture or key stroke as a list of timed events, ready to be injected one after the other.
///
/// Pure data: making one does nothing. Each frame is one hand event; the first frame puts every finger down and the last
/// lifts every finger, so that a script that ran to its end leaves nothing behind. Steps are in the order of their times.
/// Points are on the display; none of them is checked against a display here. Events carry neither time nor sender: whoever
/// plays the script stamps them.
public struct EventScript: Sendable, Hashable {
  public struct Step: Sendable, Hashable {
    /// Nanoseconds from the script's start.
    public var offsetNanoseconds: Int64
    public var event: HIDEvent
  }

  /// The way of one finger.
  public struct FingerPath: Sendable, Hashable {
    public var start: HIDPoint
    public var end: HIDPoint

    public init(from start: HIDPoint, to end: HIDPoint) {
      self.start = start
      self.end = end
    }
  }

  public let steps: [Step]

  /// From the first event to the last.
  public var duration: Duration { .nanoseconds(steps.last?.offsetNanoseconds ?? 0) }

  public static let tapHold: Duration = .milliseconds(50)
  public static let swipeDuration: Duration = .milliseconds(300)
  public static let pinchDuration: Duration = .milliseconds(500)
  public static let pinchRadius = 100.0

  /// Way that a finger makes from one frame to the next, in points, when the number of steps is not given.
  public static let defaultDelta = 10.0

  /// A finger goes down and, after `hold`, up at the same place.
  public static func tap(at point: HIDPoint, hold: Duration = tapHold) throws(EventScriptError) -> EventScript {
    try check(point)
    let end = try nanoseconds(hold)
    return EventScript(steps: [
      frame([.finger(1, .began, at: point)], at: 0), frame([.finger(1, .ended, at: point)], at: end),
    ])
  }

  /// A finger goes down at `start`, moves evenly to `end`, arrives after `duration` and lifts there.
  /// - Parameter steps: moves on the way, the last of which is at `end`. Nil: one for each ``defaultDelta`` points.
  public static func swipe(
    from start: HIDPoint, to end: HIDPoint, duration: Duration = swipeDuration, steps: Int? = nil
  ) throws(EventScriptError) -> EventScript {
    try fingers([FingerPath(from: start, to: end)], duration: duration, steps: steps)
  }

  /// Two fingers on a horizontal line through `center`, each `radius` away from it at first and `radius * scale` at the
  /// end: a scale above 1 spreads them, one below 1 brings them together.
  public static func pinch(
    center: HIDPoint, scale: Double, radius: Double = pinchRadius, duration: Duration = pinchDuration,
    steps: Int? = nil
  ) throws(EventScriptError) -> EventScript {
    for (name, value) in [("scale", scale), ("radius", radius)] {
      guard value.isFinite else { throw .notFinite(name) }
      guard value > 0 else { throw .notPositive(name, value) }
    }
    func path(_ side: Double) -> FingerPath {
      FingerPath(
        from: HIDPoint(x: center.x + side * radius, y: center.y),
        to: HIDPoint(x: center.x + side * radius * scale, y: center.y))
    }
    return try twoFingers(path(-1), path(1), duration: duration, steps: steps)
  }

  /// Two fingers that go down in one frame, move together, each on its own way, and lift in one frame.
  public static func twoFingers(
    _ first: FingerPath, _ second: FingerPath, duration: Duration = pinchDuration, steps: Int? = nil
  ) throws(EventScriptError) -> EventScript {
    try fingers([first, second], duration: duration, steps: steps)
  }

  /// A key goes down and, after `hold`, up.
  public static func key(_ usage: HIDUsage, hold: Duration = tapHold) throws(EventScriptError) -> EventScript {
    let end = try nanoseconds(hold)
    return EventScript(steps: [
      Step(offsetNanoseconds: 0, event: .key(usage, isDown: true)),
      Step(offsetNanoseconds: end, event: .key(usage, isDown: false)),
    ])
  }

  private static func fingers(
    _ paths: [FingerPath], duration: Duration, steps: Int?
  ) throws(EventScriptError) -> EventScript {
    for path in paths {
      try check(path.start)
      try check(path.end)
    }
    let end = try nanoseconds(duration)
    let longest = paths.reduce(0) { max($0, $1.start.distance(to: $1.end)) }
    let moves = steps ?? min(HIDLimits.scriptSteps, max(1, Int((longest / defaultDelta).rounded(.up))))
    guard (1...HIDLimits.scriptSteps).contains(moves) else { throw .stepsOutOfRange(moves) }

    func contacts(_ phase: DigitizerEvent.Phase, at fraction: Double) -> [DigitizerEvent] {
      paths.enumerated().map { index, path in
        .finger(
          UInt32(index + 1), phase, at: path.start.moved(towards: path.end, by: fraction), index: UInt32(index))
      }
    }
    var list = [frame(contacts(.began, at: 0), at: 0)]
    list.reserveCapacity(moves + 2)
    for move in 1...moves {
      // In this order the product stays far from overflow: an hour is 3.6e12 ns, and there are 2e4 steps.
      let offset = end * Int64(move) / Int64(moves)
      list.append(frame(contacts(.moved, at: Double(move) / Double(moves)), at: offset))
    }
    list.append(frame(contacts(.ended, at: 1), at: end))
    return EventScript(steps: list)
  }

  private static func frame(_ contacts: [DigitizerEvent], at offset: Int64) -> Step {
    Step(offsetNanoseconds: offset, event: .hand(fingers: contacts))
  }

  private static func check(_ point: HIDPoint) throws(EventScriptError) {
    guard point.isFinite else { throw .notFinite("point \(point)") }
    guard max(point.x.magnitude, point.y.magnitude) <= HIDLimits.displayCoordinate else { throw .pointTooFar(point) }
  }

  private static func nanoseconds(_ duration: Duration) throws(EventScriptError) -> Int64 {
    guard duration >= .zero else { throw .negativeDuration(duration) }
    guard duration <= HIDLimits.scriptDuration else { throw .durationTooLong(duration) }
    return duration.nanosecondsClamped
  }
}
