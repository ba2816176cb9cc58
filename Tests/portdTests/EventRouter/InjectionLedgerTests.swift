import HIDKit
import Testing

@testable import portd

@Suite struct InjectionLedgerTests {
  @Test func anEventWithoutDeliveriesIsMissedAtOnce() {
    var ledger = InjectionLedger()
    let (id, answer) = ledger.begin(by: 9, deliveries: 0)
    #expect(answer == InjectionLedger.Answer(injection: id, injector: 9, outcome: InjectOutcome(missed: 1)))
    #expect(ledger.totals == InjectionLedger.Totals(injected: 1, missed: 1))
    #expect(ledger.pendingCount == 0)
  }

  @Test func theAnswerIsDueWhenTheLastDeliveryHasEnded() {
    var ledger = InjectionLedger()
    let (id, answer) = ledger.begin(by: 9, deliveries: 2)
    #expect(answer == nil)
    #expect(ledger.settle(id, .finished) == nil)
    #expect(ledger.checkInvariants() == [])
    #expect(ledger.settle(id, .finished)?.outcome == InjectOutcome(delivered: 2))
    #expect(ledger.totals == InjectionLedger.Totals(injected: 1, delivered: 1))
  }

  @Test(arguments: [
    ([InjectionLedger.Ending.finished, .clientGone], InjectOutcome(delivered: 1, cancelled: 1)),
    ([.clientGone, .dropped], InjectOutcome(cancelled: 1, missed: 1)),
    ([.dropped, .finished], InjectOutcome(delivered: 1, missed: 1)),
    ([.dropped, .dropped], InjectOutcome(missed: 2)),
  ])
  func everyMixEndsOnce(endings: [InjectionLedger.Ending], outcome: InjectOutcome) {
    var ledger = InjectionLedger()
    let id = ledger.begin(by: 9, deliveries: 2).injection
    #expect(ledger.settle(id, endings[0]) == nil)
    #expect(ledger.settle(id, endings[1])?.outcome == outcome)
    let totals = ledger.totals
    #expect(totals.injected == 1 && totals.delivered + totals.cancelled + totals.missed == 1)
    #expect(totals.cancelled == (outcome.summary == .cancelled ? 1 : 0))
    #expect(ledger.checkInvariants() == [])
  }

  @Test func anInjectorThatIsGoneGetsNoAnswerAndStaysInTheAccounts() {
    var ledger = InjectionLedger()
    let gone = ledger.begin(by: 8, deliveries: 1).injection
    let here = ledger.begin(by: 9, deliveries: 1).injection
    ledger.injectorGone(8)
    #expect(ledger.settle(gone, .finished) == nil)
    #expect(ledger.settle(here, .finished)?.injector == 9)
    #expect(ledger.totals == InjectionLedger.Totals(injected: 2, delivered: 2))
  }

  @Test func pendingInjectionsHaveALimitPerInjector() {
    var ledger = InjectionLedger()
    var last = ledger.begin(by: 9, deliveries: 1).injection
    for _ in 1..<BrokerLimits.pendingInjectionsPerInjector {
      #expect(ledger.hasRoom(for: 9))
      last = ledger.begin(by: 9, deliveries: 1).injection
    }
    #expect(!ledger.hasRoom(for: 9))
    #expect(ledger.hasRoom(for: 8))
    _ = ledger.settle(last, .finished)
    #expect(ledger.hasRoom(for: 9))
  }
}
