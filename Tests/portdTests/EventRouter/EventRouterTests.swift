import HIDKit
import LinuxSystem
import Testing

@testable import portd

@Suite struct EventRouterTests {
  @Test func aContactStaysWithTheWindowOfItsDown() throws {
    var set = try SideBySide()
    #expect(
      told(set.router.route(frame(finger(1, .began, 90, 50)), from: 9, at: moment)) == [set.atA(1, .began, 90, 50)])
    #expect(
      told(set.router.route(frame(finger(1, .moved, 150, -5)), from: 9, at: moment)) == [set.atA(1, .moved, 150, -5)])
    #expect(
      told(set.router.route(frame(finger(1, .ended, 150, 50)), from: 9, at: moment)) == [set.atA(1, .ended, 150, 50)])
    #expect(set.router.contacts.count == 0)
    #expect(set.router.counts == RouterCounts())
  }

  @Test func boundsAreHalfOpen() throws {
    var set = try SideBySide()
    let left = set.router.route(frame(finger(1, .began, 99.999, 0)), from: 9, at: moment)
    let right = set.router.route(frame(finger(2, .began, 100, 99.999)), from: 9, at: moment)
    #expect(told(left) == [set.atA(1, .began, 99.999, 0)])
    #expect(told(right) == [set.atB(2, .began, 0, 99.999)])
    #expect(set.router.route(frame(finger(3, .began, 200, 0)), from: 9, at: moment) == [])
    #expect(set.router.counts.downsOnNothing == 1)
  }

  @Test func eachFingerOfAFrameFindsItsOwnClient() throws {
    var set = try SideBySide()
    let downs = set.router.route(frame(finger(1, .began, 10, 10), finger(2, .began, 110, 20)), from: 9, at: moment)
    #expect(downs.map(\.client) == [clientA, clientB])
    #expect(told(downs) == [set.atA(1, .began, 10, 10), set.atB(2, .began, 10, 20)])
    let lift = set.router.route(frame(finger(1, .ended, 10, 10)), from: 9, at: moment)
    #expect(told(lift) == [set.atA(1, .ended, 10, 10)])
    let move = set.router.route(frame(finger(2, .moved, 90, 20)), from: 9, at: moment)
    #expect(told(move) == [set.atB(2, .moved, -10, 20)])
  }

  @Test func aFrameForOneClientIsOneDeliveryWithAHandForEachWindow() throws {
    var set = try SideBySide()
    let second = try set.router.createWindow(
      client: clientA, frame: HIDRect(x: 200, y: 0, width: 50, height: 50), zOrder: 0, title: "", created: moment)
    let deliveries = set.router.route(
      frame(finger(1, .began, 10, 10), finger(2, .began, 210, 10), finger(3, .began, 20, 20)), from: 9, at: moment)
    #expect(deliveries.count == 1)
    #expect(deliveries[0].events.map(\.windowID) == [set.a, second])
    #expect(deliveries[0].events[0].event.contacts.map(\.identity) == [1, 3])
    #expect(deliveries[0].events[1].event.contacts.map(\.identity) == [2])
    #expect(deliveries[0].events.allSatisfy { $0.event.digitizer?.transducer == .hand })
  }

  @Test func theHandTouchesWhileTheWindowHasAFinger() throws {
    var set = try SideBySide()
    func isTouching(_ event: HIDEvent) -> Bool? {
      set.router.route(event, from: 9, at: moment).first?.events.first?.event.digitizer?.isTouching
    }
    #expect(isTouching(frame(finger(1, .began, 1, 1), finger(2, .began, 2, 2), finger(3, .began, 150, 1))) == true)
    #expect(isTouching(frame(finger(1, .ended, 1, 1))) == true)
    #expect(isTouching(frame(finger(2, .ended, 2, 2))) == false)
  }

  @Test func aDownOnNothingIsSwallowedTillItsEnd() throws {
    var set = try SideBySide()
    for event in [finger(1, .began, 250, 50), finger(1, .moved, 50, 50), finger(1, .ended, 50, 50)] {
      #expect(set.router.route(frame(event), from: 9, at: moment) == [])
    }
    #expect(set.router.counts.downsOnNothing == 1)
    #expect(set.router.counts.unknown == 0)
    #expect(set.router.contacts.count == 0)
  }

  @Test func aDownOutsideTheDisplayIsSwallowedEvenOverAWindow() throws {
    var set = try SideBySide()
    try set.router.moveWindow(
      set.a, of: clientA, frame: HIDRect(x: -50, y: 0, width: 1000, height: 100), zOrder: nil)
    for x in [-1.0, 300] {
      let event = frame(finger(1, .began, x, 10))
      #expect(set.router.offScreenPoint(in: event) == HIDPoint(x: x, y: 10))
      #expect(set.router.route(event, from: 9, at: moment) == [])
      #expect(set.router.route(frame(finger(1, .ended, 10, 10)), from: 9, at: moment) == [])
    }
    #expect(set.router.counts.downsOffScreen == 2)
    #expect(set.router.offScreenPoint(in: frame(finger(1, .began, 299.5, 99.5))) == nil)
    #expect(set.router.offScreenPoint(in: frame(finger(1, .moved, -5, 10))) == nil)
  }

  @Test func movesAndEndsOfUnknownContactsAreCounted() throws {
    var set = try SideBySide()
    for phase in [DigitizerEvent.Phase.moved, .ended, .cancelled] {
      #expect(set.router.route(frame(finger(1, phase, 10, 10)), from: 9, at: moment) == [])
    }
    #expect(set.router.counts.unknown == 3)
    _ = set.router.route(frame(finger(1, .began, 10, 10)), from: 9, at: moment)
    #expect(set.router.route(frame(finger(1, .moved, 10, 10)), from: 8, at: moment) == [])
    #expect(set.router.counts.unknown == 4)
  }

  @Test func restingContactsAndNestedHandsAreNotDelivered() throws {
    var set = try SideBySide()
    _ = set.router.route(frame(finger(1, .began, 10, 10)), from: 9, at: moment)
    let resting = DigitizerEvent(identity: 1, isInRange: true, isTouching: true, x: 10, y: 10)
    #expect(set.router.route(frame(resting), from: 9, at: moment) == [])
    let hand = DigitizerEvent(transducer: .hand, identity: 2, eventMask: [.touch], isTouching: true)
    #expect(set.router.route(frame(hand), from: 9, at: moment) == [])
    #expect(set.router.counts.malformed == 1)
  }

  @Test func aSecondDownEndsTheFirst() throws {
    var set = try SideBySide()
    _ = set.router.route(frame(finger(1, .began, 10, 10)), from: 9, at: moment)
    _ = set.router.route(frame(finger(1, .moved, 20, 20)), from: 9, at: moment)
    let again = set.router.route(frame(finger(1, .began, 110, 10)), from: 9, at: moment)
    #expect(told(again) == [set.atA(1, .cancelled, 20, 20), set.atB(1, .began, 10, 10)])
    #expect(set.router.counts.downsRepaired == 1)
    #expect(set.router.contacts.count == 1)
  }

  @Test func aContactsOrderSurvivesGrouping() throws {
    // One client, two windows: finger 1 ends in `a` and begins in `second`, where finger 2 is already in the frame.
    var set = try SideBySide()
    let second = try set.router.createWindow(
      client: clientA, frame: HIDRect(x: 200, y: 0, width: 50, height: 50), zOrder: 0, title: "", created: moment)
    _ = set.router.route(frame(finger(1, .began, 10, 10)), from: 9, at: moment)
    let deliveries = set.router.route(
      frame(finger(2, .began, 210, 0), finger(1, .ended, 10, 10), finger(1, .began, 220, 0), finger(1, .ended, 220, 0)),
      from: 9, at: moment)
    #expect(deliveries.count == 1)
    let phases = deliveries[0].events.flatMap { item in
      item.event.contacts.filter { $0.identity == 1 }.map { (item.windowID, $0.phase) }
    }
    #expect(phases.map(\.0) == [set.a, second, second])
    #expect(phases.map(\.1) == [.ended, .began, .ended])
  }

  @Test func aWindowThatMovesKeepsItsContacts() throws {
    var set = try SideBySide()
    _ = set.router.route(frame(finger(1, .began, 10, 10)), from: 9, at: moment)
    try set.router.moveWindow(
      set.a, of: clientA, frame: HIDRect(x: 150, y: 50, width: 10, height: 10), zOrder: -5)
    #expect(
      told(set.router.route(frame(finger(1, .moved, 20, 60)), from: 9, at: moment)) == [set.atA(1, .moved, -130, 10)])
  }

  @Test func aWindowThatGoesHasItsContactsCancelledOnce() throws {
    var set = try SideBySide()
    _ = set.router.route(frame(finger(1, .began, 10, 10), finger(2, .began, 110, 10)), from: 9, at: moment)
    _ = set.router.route(frame(finger(1, .moved, 30, 30)), from: 9, at: moment)
    let later = Instant(nanoseconds: 2_000_000)
    let cancels = try set.router.destroyWindow(set.a, of: clientA, at: later)
    #expect(told(cancels) == [set.atA(1, .cancelled, 30, 30)])
    #expect(cancels[0].events[0].event.timestampNanoseconds == 2_000_000)
    #expect(cancels[0].events[0].event.digitizer?.isTouching == false)
    #expect(set.router.route(frame(finger(1, .moved, 40, 40)), from: 9, at: moment) == [])
    #expect(set.router.route(frame(finger(1, .ended, 40, 40)), from: 9, at: moment) == [])
    #expect(set.router.counts.unknown == 0)
    #expect(
      told(set.router.route(frame(finger(2, .ended, 110, 10)), from: 9, at: moment)) == [set.atB(2, .ended, 10, 10)])
    #expect(throws: EventSystemStatus.noSuchWindow) { try set.router.destroyWindow(set.a, of: clientA, at: moment) }
    #expect(throws: EventSystemStatus.noSuchWindow) { try set.router.destroyWindow(set.b, of: clientA, at: moment) }
  }

  @Test func aClientThatGoesLeavesOthersUntouched() throws {
    var set = try SideBySide()
    _ = set.router.route(frame(finger(1, .began, 10, 10), finger(2, .began, 110, 10)), from: 9, at: moment)
    set.router.removeClient(clientA)
    #expect(set.router.checkInvariants() == [])
    let rest = set.router.route(frame(finger(1, .moved, 12, 12), finger(2, .moved, 112, 12)), from: 9, at: moment)
    #expect(told(rest) == [set.atB(2, .moved, 12, 12)])
    #expect(set.router.route(frame(finger(1, .ended, 12, 12)), from: 9, at: moment) == [])
    #expect(set.router.counts.unknown == 0)
    #expect(set.router.windows.windows.map(\.id) == [set.b])
  }

  @Test func aSenderThatGoesLeavesNothingDown() throws {
    var set = try SideBySide()
    let key = HIDEvent.key(.a, isDown: true)
    for sender in [UInt64(8), 9] {
      _ = set.router.route(frame(finger(1, .began, 10, 10), finger(2, .began, 110, 10)), from: sender, at: moment)
      _ = set.router.route(key, from: sender, at: moment)
    }
    let up = Told(client: clientB, window: set.b, sender: 9, change: .key(.a, isDown: false, isRepeat: false))
    let ends = set.router.removeSender(9, at: moment)
    #expect(ends.map(\.client) == [clientA, clientB])
    #expect(told(ends) == [set.atA(1, .cancelled, 10, 10), set.atB(2, .cancelled, 10, 10), up])
    #expect((set.router.contacts.count, set.router.keys.count) == (2, 1))
    #expect(set.router.removeSender(9, at: moment) == [])
    _ = set.router.removeSender(8, at: moment)
    #expect((set.router.contacts.count, set.router.keys.count) == (0, 0))
  }

  @Test func identitiesOfTwoSendersNeverMix() throws {
    var set = try SideBySide()
    _ = set.router.route(frame(finger(1, .began, 10, 10)), from: 8, at: moment)
    _ = set.router.route(frame(finger(1, .began, 110, 10)), from: 9, at: moment)
    #expect(set.router.counts.downsRepaired == 0)
    #expect(
      told(set.router.route(frame(finger(1, .ended, 10, 10)), from: 8, at: moment)) == [
        set.atA(1, .ended, 10, 10, sender: 8)
      ])
    #expect(set.router.contacts.count == 1)
  }

  @Test func aClientWithAFullQueueGetsNothingNew() throws {
    var set = try SideBySide()
    _ = set.router.route(frame(finger(1, .began, 10, 10)), from: 9, at: moment)
    let both = frame(finger(1, .ended, 10, 10), finger(2, .began, 20, 20), finger(3, .began, 110, 10))
    let deliveries = set.router.route(both, from: 9, at: moment, refusing: [clientA])
    #expect(told(deliveries) == [set.atA(1, .ended, 10, 10), set.atB(3, .began, 10, 10)])
    #expect(set.router.counts.downsRefused == 1)
    // The refused contact stays swallowed when there is room again.
    #expect(set.router.route(frame(finger(2, .ended, 20, 20)), from: 9, at: moment) == [])
    #expect(set.router.route(.key(.a, isDown: true), from: 9, at: moment, refusing: [clientB]) == [])
    #expect(set.router.counts.downsRefused == 2)
  }

  @Test func contactsAndKeysOfOneSenderHaveLimits() throws {
    var set = try SideBySide()
    for identity in 1...UInt32(BrokerLimits.contactsPerSender) {
      #expect(set.router.route(frame(finger(identity, .began, 10, 10)), from: 9, at: moment).count == 1)
    }
    #expect(set.router.route(frame(finger(1000, .began, 10, 10)), from: 9, at: moment) == [])
    #expect(set.router.route(frame(finger(1000, .began, 10, 10)), from: 8, at: moment).count == 1)
    // A repaired down needs no more room than the contact had.
    #expect(set.router.route(frame(finger(1, .began, 10, 10)), from: 9, at: moment).count == 1)
    for usage in 1...UInt16(BrokerLimits.keysPerSender) {
      let key = HIDEvent.key(HIDUsage(rawValue: usage), isDown: true)
      #expect(set.router.route(key, from: 9, at: moment).count == 1)
    }
    #expect(set.router.route(.key(HIDUsage(rawValue: 500), isDown: true), from: 9, at: moment) == [])
    #expect(set.router.counts.downsOverLimit == 2)
    #expect(set.router.checkInvariants() == [])
  }

  @Test func deliveriesSayWhoSentThemAndWhen() throws {
    var set = try SideBySide()
    func stamp(_ time: Int64, at now: Int64) -> HIDEvent {
      let event = HIDEvent.hand(
        fingers: [finger(1, .began, 10, 10)], timestampNanoseconds: time, senderID: 1234, isInjected: true)
      return set.router.route(event, from: 9, at: Instant(nanoseconds: now))[0].events.last!.event
    }
    #expect(stamp(70, at: 100).timestampNanoseconds == 70)
    #expect(stamp(0, at: 100).timestampNanoseconds == 100)
    #expect(stamp(101, at: 100).timestampNanoseconds == 100)
    #expect(stamp(-5, at: 100).timestampNanoseconds == 100)
    let event = stamp(5, at: 100)
    #expect(([event] + event.children).allSatisfy { $0.senderID == 9 && $0.isInjected && $0.timestampNanoseconds == 5 })
  }

  @Test func aLargeRemovalIsSplitIntoDeliveriesOfLegalSize() throws {
    var set = try SideBySide()
    for sender in 1...UInt64(20) {
      let fingers = (1...UInt32(BrokerLimits.contactsPerSender)).map { finger($0, .began, 10, 10) }
      _ = set.router.route(.hand(fingers: fingers), from: sender, at: moment)
    }
    let deliveries = try set.router.destroyWindow(set.a, of: clientA, at: moment)
    #expect(deliveries.count > 1)
    #expect(told(deliveries).count == 20 * BrokerLimits.contactsPerSender)
    for delivery in deliveries {
      let nodes = delivery.events.reduce(0) { $0 + $1.event.nodeCount }
      #expect(nodes <= HIDLimits.eventsPerDelivery)
      #expect(throws: Never.self) { for item in delivery.events { try item.event.validate() } }
    }
  }

  @Test func moreChangesThanAHandHoldsTakeASecondHand() throws {
    var set = try SideBySide()
    let downs = (1...UInt32(32)).map { finger($0, .began, 10, 10) }
    _ = set.router.route(.hand(fingers: downs), from: 9, at: moment)
    // Each of these is a repaired down: cancelled and began, 64 changes.
    let deliveries = set.router.route(.hand(fingers: downs), from: 9, at: moment)
    #expect(deliveries.count == 1)
    #expect(deliveries[0].events.map(\.event.children.count) == [32, 32])
    #expect(told(deliveries).count == 64)
  }
}
