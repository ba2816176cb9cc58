import HIDKit
import Testing

@Suite struct HIDEventTests {
  @Test func numbersAreThoseOfIOHID() {
    #expect(HIDEvent.hand(fingers: []).kind.rawValue == 11)
    #expect(HIDEvent.key(.a, isDown: true).kind.rawValue == 3)
    #expect(DigitizerEvent.Transducer.stylus.rawValue == 0)
    #expect(DigitizerEvent.Transducer.finger.rawValue == 2)
    #expect(DigitizerEvent.Transducer.hand.rawValue == 3)
    #expect(DigitizerEvent.EventMask([.range, .touch, .position, .identity, .attribute]).rawValue == 0b1_1111)
    #expect(DigitizerEvent.EventMask([.cancel, .start]).rawValue == 0x180)
    #expect(KeyboardEvent(usage: .a, isDown: true).usagePage == 7)
  }

  static let phases: [(phase: DigitizerEvent.Phase, mask: DigitizerEvent.EventMask, touching: Bool)] = [
    (.began, [.touch, .range], true),
    (.moved, [.position], true),
    (.ended, [.touch, .range], false),
    (.cancelled, [.touch, .range, .cancel], false),
  ]

  @Test(arguments: phases)
  func aFingerHasTheMaskOfItsPhase(
    phase: DigitizerEvent.Phase, mask: DigitizerEvent.EventMask, touching: Bool
  ) {
    let finger = DigitizerEvent.finger(7, phase, at: HIDPoint(x: 3, y: 4), index: 2)
    #expect(finger.eventMask == mask)
    #expect(finger.isTouching == touching)
    #expect(finger.isInRange == touching)
    #expect(finger.phase == phase)
    #expect(finger.position == HIDPoint(x: 3, y: 4))
    #expect((finger.identity, finger.index) == (7, 2))
  }

  @Test func contactsAtRestAndHoveringHaveNoPhase() {
    #expect(DigitizerEvent(isInRange: true, isTouching: true).phase == nil)
    #expect(DigitizerEvent(eventMask: [.range], isInRange: true).phase == nil)
    #expect(DigitizerEvent(eventMask: [.position], isInRange: true).phase == nil)
  }

  @Test func aHandTouchesWhileAnyFingerDoes() {
    let up = DigitizerEvent.finger(1, .ended, at: HIDPoint(x: 0, y: 0))
    let move = DigitizerEvent.finger(2, .moved, at: HIDPoint(x: 9, y: 9), index: 1)
    let both = HIDEvent.hand(fingers: [up, move], timestampNanoseconds: 5, senderID: 6, isInjected: true)
    #expect(both.digitizer?.transducer == .hand)
    #expect(both.digitizer?.isTouching == true)
    #expect(both.digitizer?.eventMask == [.touch, .range, .position])
    #expect(both.contacts == [up, move])
    #expect(both.nodeCount == 3)
    #expect(both.children.allSatisfy { $0.senderID == 6 && $0.timestampNanoseconds == 5 && $0.isInjected })
    #expect(HIDEvent.hand(fingers: [up]).digitizer?.isTouching == false)
    #expect(HIDEvent.hand(fingers: [up], isTouching: true).digitizer?.isTouching == true)
  }

  @Test func aFingerWithoutHandIsItsOwnContact() {
    let finger = DigitizerEvent.finger(1, .began, at: HIDPoint(x: 1, y: 1))
    #expect(HIDEvent(.digitizer(finger)).contacts == [finger])
    #expect(HIDEvent.key(.a, isDown: true).contacts.isEmpty)
  }

  @Test func aKeyThatIsUpDoesNotRepeat() {
    #expect(KeyboardEvent(usage: .a, isDown: false, isRepeat: true).isRepeat == false)
    #expect(KeyboardEvent(usage: .a, isDown: true, isRepeat: true).isRepeat)
  }
}
