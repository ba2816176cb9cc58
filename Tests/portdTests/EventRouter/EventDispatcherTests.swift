import HIDKit
import LinuxSystem
import Testing

@testable import portd

@Suite struct EventDispatcherTests {
  private struct Desk {
    var dispatcher = EventDispatcher(display: HIDSize(width: 200, height: 100))
    var a = WindowID(rawValue: 0)
    var b = WindowID(rawValue: 0)

    init() throws {
      for client in [clientA, clientB] { dispatcher.addClient(client) }
      a = try dispatcher.createWindow(
        CreateWindow(frame: HIDRect(x: 0, y: 0, width: 100, height: 100)), by: clientA, at: moment)
      b = try dispatcher.createWindow(
        CreateWindow(frame: HIDRect(x: 100, y: 0, width: 50, height: 100)), by: clientB, at: moment)
    }

    mutating func inject(_ fingers: DigitizerEvent...) throws(EventSystemStatus) -> [EventDispatcher.Action] {
      try dispatcher.inject(.hand(fingers: fingers), from: 9, at: moment).actions
    }
  }

  private func answers(_ actions: [EventDispatcher.Action]) -> [InjectOutcome] {
    actions.compactMap { if case .answer(let answer) = $0 { answer.outcome } else { nil } }
  }

  private func sends(_ actions: [EventDispatcher.Action]) -> [ClientID] {
    actions.compactMap { if case .send(let client, _) = $0 { client } else { nil } }
  }

  @Test func anInjectionIsAnsweredWhenItsClientHasFinished() throws {
    var desk = try Desk()
    let down = try desk.inject(finger(1, .began, 10, 10))
    #expect(sends(down) == [clientA])
    guard case .send(_, let batch) = down[0] else { return }
    #expect(batch.events.allSatisfy { $0.event.isInjected })
    #expect(batch.readAt == moment)
    #expect(try answers(desk.dispatcher.finished(batch.sequence, by: clientA)) == [InjectOutcome(delivered: 1)])
    #expect(try desk.dispatcher.finished(batch.sequence, by: clientA) == [])
    #expect(try desk.dispatcher.finished(1, by: ClientID(rawValue: 77)) == [])
  }

  @Test func aFrameForTwoClientsIsAnsweredAfterBoth() throws {
    var desk = try Desk()
    #expect(try sends(desk.inject(finger(1, .began, 10, 10), finger(2, .began, 110, 10))) == [clientA, clientB])
    #expect(try desk.dispatcher.finished(1, by: clientB) == [])
    #expect(try answers(desk.dispatcher.finished(1, by: clientA)) == [InjectOutcome(delivered: 2)])
  }

  @Test func aClientThatDiesCancelsWhatItDidNotFinish() throws {
    var desk = try Desk()
    _ = try desk.inject(finger(1, .began, 10, 10), finger(2, .began, 110, 10))
    _ = try desk.dispatcher.finished(1, by: clientB)
    #expect(answers(desk.dispatcher.removeClient(clientA)) == [InjectOutcome(delivered: 1, cancelled: 1)])
    #expect(desk.dispatcher.removeClient(clientA) == [])
    #expect(desk.dispatcher.checkInvariants() == [])
    #expect(try answers(desk.inject(finger(1, .moved, 10, 10))) == [InjectOutcome(missed: 1)])
  }

  @Test func whatHitsNothingIsMissedAndWhatBeginsOutsideIsRefused() throws {
    var desk = try Desk()
    #expect(try answers(desk.inject(finger(1, .began, 199, 99))) == [InjectOutcome(missed: 1)])
    #expect(throws: EventSystemStatus.offScreen) { try desk.inject(finger(2, .began, 200, 10)) }
    #expect(throws: EventSystemStatus.offScreen) { try desk.inject(finger(2, .began, -5, 10)) }
    #expect(desk.dispatcher.ledger.totals == InjectionLedger.Totals(injected: 1, missed: 1))
  }

  @Test func anInjectorThatDiesLeavesNothingDownAndGetsNoAnswer() throws {
    var desk = try Desk()
    _ = try desk.inject(finger(1, .began, 10, 10))
    let actions = desk.dispatcher.removeSender(9, at: moment)
    #expect(sends(actions) == [clientA])
    guard case .send(_, let batch) = actions[0] else { return }
    #expect(told(clientA, batch.events).map(\.change) == [.touch(1, .cancelled, x: 10, y: 10)])
    #expect(batch.injection == nil)
    #expect(try desk.dispatcher.finished(2, by: clientA) == [])
    #expect(desk.dispatcher.ledger.totals == InjectionLedger.Totals(injected: 1, delivered: 1))
  }

  @Test func onlyOpenClientsHaveWindowsAndOnlyTheirOwn() throws {
    var desk = try Desk()
    let request = CreateWindow(frame: HIDRect(x: 0, y: 0, width: 1, height: 1))
    #expect(throws: EventSystemStatus.notOpen) {
      try desk.dispatcher.createWindow(request, by: ClientID(rawValue: 77), at: moment)
    }
    #expect(throws: EventSystemStatus.noSuchWindow) {
      try desk.dispatcher.moveWindow(MoveWindow(windowID: desk.a, zOrder: 3), by: clientB)
    }
    #expect(throws: EventSystemStatus.noSuchWindow) {
      try desk.dispatcher.destroyWindow(DestroyWindow(windowID: desk.a), by: clientB, at: moment)
    }
    _ = try desk.inject(finger(1, .began, 10, 10))
    let cancels = try desk.dispatcher.destroyWindow(DestroyWindow(windowID: desk.a), by: clientA, at: moment)
    #expect(sends(cancels) == [clientA])
  }

  @Test func tooManyPendingInjectionsAreRefusedBeforeAnythingHappens() throws {
    var desk = try Desk()
    _ = try desk.inject(finger(1, .began, 10, 10))
    for _ in 1..<BrokerLimits.pendingInjectionsPerInjector { _ = try desk.inject(finger(1, .moved, 10, 10)) }
    #expect(throws: EventSystemStatus.limitReached) { try desk.inject(finger(1, .ended, 10, 10)) }
    #expect(desk.dispatcher.router.contacts.count == 1)
    _ = try desk.dispatcher.finished(1, by: clientA)
    #expect(throws: Never.self) { try desk.inject(finger(1, .ended, 10, 10)) }
  }

  /// A client that reads nothing: its gestures end complete, the rest is refused, and its neighbour notices nothing.
  @Test func aStalledClientLosesMovesAndNewGesturesOnly() throws {
    var desk = try Desk()
    var sender: UInt64 = 100
    var got: [WindowEvent] = []
    var lastSequence: UInt64 = 0
    func take(_ actions: [EventDispatcher.Action]) {
      for case .send(clientA, let batch) in actions {
        got += batch.events
        lastSequence = batch.sequence
      }
    }
    take(try desk.inject(finger(1, .began, 10, 10)))
    var missed = 0
    for _ in 0..<500 {
      // A new injector for each tap, since one alone would reach the limit of its pending injections.
      sender += 1
      let move = frame(finger(1, .moved, 20, 20))
      let tap = frame(finger(1, .began, 30, 30))
      let up = frame(finger(1, .ended, 30, 30))
      if desk.dispatcher.ledger.hasRoom(for: 9) {
        take(try desk.dispatcher.inject(move, from: 9, at: moment).actions)
      }
      for event in [tap, up] {
        let actions = try desk.dispatcher.inject(event, from: sender, at: moment).actions
        take(actions)
        missed += answers(actions).count
      }
      #expect(desk.dispatcher.checkInvariants() == [])
      #expect(desk.dispatcher.queue(of: clientA)!.waitingCount <= BrokerLimits.batchesWaiting + 32)
    }
    #expect(missed > 500)
    #expect(desk.dispatcher.router.counts.downsRefused > 200)
    // The neighbour is served at once.
    let neighbour = try desk.dispatcher.inject(frame(finger(1, .began, 110, 0)), from: 7, at: moment).actions
    #expect(sends(neighbour) == [clientB])
    // The first finger's end is queued behind everything and arrives when the client wakes up.
    _ = desk.dispatcher.removeSender(9, at: moment)
    while true {
      let actions = try desk.dispatcher.finished(lastSequence, by: clientA)
      if sends(actions).isEmpty { break }
      take(actions)
    }
    let first = told(clientA, got).filter { $0.sender == 9 }.map(\.change)
    #expect(first.first == .touch(1, .began, x: 10, y: 10))
    #expect(first.last == .touch(1, .cancelled, x: 20, y: 20))
    #expect(desk.dispatcher.queue(of: clientA)?.admitsBeginnings == true)
  }
}
