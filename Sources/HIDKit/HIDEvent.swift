/// One event of a human interface device: a frame of touches, or a key.
///
/// Shape and numbers are those of IOHID, so that logs look familiar. Touches come as one *hand* event per frame with one
/// *finger* child for each contact that changed in it; a frame is atomic and is never split over two deliveries to one
/// window. A key event stands alone.
///
/// A value: it may be copied to any thread. Its fields are what their writer says; only ``senderID`` and ``isInjected`` of
/// an event *delivered by portd* are portd's own word.
public struct HIDEvent: Sendable, Hashable {
  /// When it happened: nanoseconds of CLOCK_MONOTONIC. 0 = not stamped yet; portd stamps such an event on arrival.
  public var timestampNanoseconds: Int64

  /// The device or injector that it came from. Contacts and keys of two senders never mix.
  public var senderID: UInt64

  /// A program made this event, not a device.
  public var isInjected: Bool

  public var payload: Payload

  /// Fingers of a hand, in the order in which they changed. Empty for everything else.
  public var children: [HIDEvent]

  public enum Payload: Sendable, Hashable {
    case digitizer(DigitizerEvent)
    case keyboard(KeyboardEvent)
  }

  /// IOHID's number of an event type.
  public enum Kind: UInt8, Sendable, Hashable {
    case keyboard = 3
    case digitizer = 11
  }

  public init(
    _ payload: Payload, timestampNanoseconds: Int64 = 0, senderID: UInt64 = 0, isInjected: Bool = false,
    children: [HIDEvent] = []
  ) {
    self.payload = payload
    self.timestampNanoseconds = timestampNanoseconds
    self.senderID = senderID
    self.isInjected = isInjected
    self.children = children
  }

  public var kind: Kind {
    switch payload {
    case .digitizer: .digitizer
    case .keyboard: .keyboard
    }
  }

  public var digitizer: DigitizerEvent? {
    if case .digitizer(let event) = payload { event } else { nil }
  }

  public var keyboard: KeyboardEvent? {
    if case .keyboard(let event) = payload { event } else { nil }
  }

  /// The contacts of a frame in their order: the children of a hand, or the event itself when it is a finger without one.
  public var contacts: [DigitizerEvent] {
    guard let digitizer else { return [] }
    return digitizer.transducer == .hand ? children.compactMap(\.digitizer) : [digitizer]
  }

  /// The event and its children.
  public var nodeCount: Int { children.reduce(1) { $0 + $1.nodeCount } }
}

extension HIDEvent {
  /// Gives the event and its children one time.
  public mutating func stamp(_ nanoseconds: Int64) {
    timestampNanoseconds = nanoseconds
    for index in children.indices { children[index].stamp(nanoseconds) }
  }

  /// One frame of touches.
  /// - Parameters:
  ///   - fingers: the contacts that changed, in the order in which they did.
  ///   - isTouching: whether any finger is down after this frame. Nil takes it from `fingers`, which is right unless a
  ///     finger that is not in this frame stays down.
  public static func hand(
    fingers: [DigitizerEvent], isTouching: Bool? = nil, timestampNanoseconds: Int64 = 0, senderID: UInt64 = 0,
    isInjected: Bool = false
  ) -> HIDEvent {
    let touching = isTouching ?? fingers.contains(where: \.isTouching)
    let hand = DigitizerEvent(
      transducer: .hand, eventMask: fingers.reduce(into: []) { $0.formUnion($1.eventMask) }, isInRange: touching,
      isTouching: touching)
    let children = fingers.map {
      HIDEvent(
        .digitizer($0), timestampNanoseconds: timestampNanoseconds, senderID: senderID, isInjected: isInjected)
    }
    return HIDEvent(
      .digitizer(hand), timestampNanoseconds: timestampNanoseconds, senderID: senderID, isInjected: isInjected,
      children: children)
  }

  /// One change of a key.
  public static func key(
    _ usage: HIDUsage, isDown: Bool, isRepeat: Bool = false, timestampNanoseconds: Int64 = 0, senderID: UInt64 = 0,
    isInjected: Bool = false
  ) -> HIDEvent {
    HIDEvent(
      .keyboard(KeyboardEvent(usage: usage, isDown: isDown, isRepeat: isRepeat)),
      timestampNanoseconds: timestampNanoseconds, senderID: senderID, isInjected: isInjected)
  }
}
