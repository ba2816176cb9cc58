/// What a digitizer says of a hand or of one contact.
///
/// Differs from IOHID in one point: ``x`` and ``y`` are points on the display (or in the receiving window), not 0…1 of
/// the display. Window bounds are half-open, and a scaled fraction could not hit them exactly.
public struct DigitizerEvent: Sendable, Hashable {
  /// What touches. Raw values are IOHID's.
  public enum Transducer: UInt8, Sendable, Hashable {
    case stylus = 0
    case puck = 1
    case finger = 2
    /// The parent of a frame's contacts. Its position means nothing.
    case hand = 3
  }

  /// What changed. Bits are IOHID's; those that are not named here travel unchanged.
  public struct EventMask: OptionSet, Sendable, Hashable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let range = EventMask(rawValue: 1 << 0)
    public static let touch = EventMask(rawValue: 1 << 1)
    public static let position = EventMask(rawValue: 1 << 2)
    public static let identity = EventMask(rawValue: 1 << 3)
    public static let attribute = EventMask(rawValue: 1 << 4)
    public static let cancel = EventMask(rawValue: 1 << 7)
    public static let start = EventMask(rawValue: 1 << 8)
    public static let estimatedAltitude = EventMask(rawValue: 1 << 28)
    public static let estimatedAzimuth = EventMask(rawValue: 1 << 29)
    public static let estimatedPressure = EventMask(rawValue: 1 << 30)
  }

  /// What happened to a contact, as its mask and touch flag tell it.
  public enum Phase: UInt8, Sendable, Hashable {
    case began, moved, ended, cancelled
  }

  public var transducer: Transducer

  /// Place of the contact among those of its hand, from 0.
  public var index: UInt32

  /// Names the contact while it is down. Its sender may use the number again after the contact's end.
  public var identity: UInt32

  public var eventMask: EventMask

  /// IOHID's "range": near enough to be tracked.
  public var isInRange: Bool

  /// IOHID's "touch": on the surface. Of a hand: any of its fingers is.
  public var isTouching: Bool

  /// Points, from the left edge of the display or window.
  public var x: Double

  /// Points, from the upper edge of the display or window.
  public var y: Double

  /// 0…1 of what the device can tell; 0 when it tells nothing.
  public var pressure: Double

  /// Half axes of the contact's ellipse in points; 0 when the device tells nothing.
  public var majorRadius: Double
  public var minorRadius: Double

  public init(
    transducer: Transducer = .finger, index: UInt32 = 0, identity: UInt32 = 0, eventMask: EventMask = [],
    isInRange: Bool = false, isTouching: Bool = false, x: Double = 0, y: Double = 0, pressure: Double = 0,
    majorRadius: Double = 0, minorRadius: Double = 0
  ) {
    self.transducer = transducer
    self.index = index
    self.identity = identity
    self.eventMask = eventMask
    self.isInRange = isInRange
    self.isTouching = isTouching
    self.x = x
    self.y = y
    self.pressure = pressure
    self.majorRadius = majorRadius
    self.minorRadius = minorRadius
  }

  /// A finger in one phase, with the mask bits that IOHID sends for it: touch and range for began and ended, cancel as
  /// well for cancelled, position alone for moved.
  public static func finger(
    _ identity: UInt32, _ phase: Phase, at point: HIDPoint, index: UInt32 = 0
  ) -> DigitizerEvent {
    var finger = DigitizerEvent(index: index, identity: identity, x: point.x, y: point.y)
    finger.setPhase(phase)
    return finger
  }

  public var position: HIDPoint {
    get { HIDPoint(x: x, y: y) }
    set { (x, y) = (newValue.x, newValue.y) }
  }

  /// Nil for a contact at rest and for one that only hovers.
  public var phase: Phase? {
    if eventMask.contains(.cancel) { return .cancelled }
    if eventMask.contains(.touch) { return isTouching ? .began : .ended }
    guard isTouching, !eventMask.isDisjoint(with: [.position, .attribute]) else { return nil }
    return .moved
  }

  /// Replaces mask and flags by those of `phase`.
  public mutating func setPhase(_ phase: Phase) {
    isTouching = phase == .began || phase == .moved
    isInRange = isTouching
    eventMask =
      switch phase {
      case .began, .ended: [.touch, .range]
      case .moved: [.position]
      case .cancelled: [.touch, .range, .cancel]
      }
  }
}
