import HIDKit
import TestSupport

extension SeededNumbers {
  mutating func text() -> String {
    String((0..<number(0...30)).map { _ in ["a", "é", "漢", "-", "7"].randomElement(using: &self)! })
  }

  mutating func real(_ bound: Double) -> Double { Double.random(in: -bound...bound, using: &self) }

  mutating func rect() -> HIDRect {
    HIDRect(
      x: real(HIDLimits.displayCoordinate), y: real(HIDLimits.displayCoordinate),
      width: real(1000).magnitude + 1, height: real(1000).magnitude + 1)
  }

  mutating func digitizer(bound: Double) -> DigitizerEvent {
    DigitizerEvent(
      transducer: [.finger, .stylus, .puck].randomElement(using: &self)!, index: UInt32(number(0...40)),
      identity: UInt32.random(in: 0...UInt32.max, using: &self),
      eventMask: DigitizerEvent.EventMask(rawValue: UInt32.random(in: 0...UInt32.max, using: &self)),
      isInRange: chance(50), isTouching: chance(50), x: real(bound), y: real(bound), pressure: real(1),
      majorRadius: real(50), minorRadius: real(50))
  }

  /// A valid event; its coordinates are within `bound`.
  mutating func event(bound: Double = HIDLimits.eventCoordinate, fingers: Int? = nil) -> HIDEvent {
    let time = Int64.random(in: .min ... .max, using: &self)
    let sender = UInt64.random(in: 0...UInt64.max, using: &self)
    if fingers == nil, chance(30) {
      return .key(
        HIDUsage(rawValue: UInt16(number(0...65535))), isDown: chance(50), isRepeat: chance(50),
        timestampNanoseconds: time, senderID: sender, isInjected: chance(50))
    }
    let count = fingers ?? number(0...HIDLimits.childrenPerEvent)
    return .hand(
      fingers: (0..<count).map { _ in digitizer(bound: bound) }, timestampNanoseconds: time, senderID: sender,
      isInjected: chance(50))
  }
}
