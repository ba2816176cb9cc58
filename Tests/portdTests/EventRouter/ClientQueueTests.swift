import HIDKit
import LinuxSystem
import Testing

@testable import portd

@Suite struct ClientQueueTests {
  private func delivery(_ phase: DigitizerEvent.Phase, x: Double = 0) -> Delivery {
    let event = WindowEvent(windowID: WindowID(rawValue: 1), event: frame(finger(1, phase, x, 0)))
    return Delivery(client: clientA, events: [event])
  }

  private func id(_ number: Int) -> InjectionID { InjectionID(rawValue: UInt64(number)) }

  /// A queue with everything in flight that may be; the injections are numbered from 1 like the batches.
  private func fullFlight() -> ClientQueue {
    var queue = ClientQueue()
    for number in 1...BrokerLimits.batchesInFlight {
      let sent = queue.enqueue(delivery(.moved, x: Double(number)), injection: id(number), readAt: moment)
      guard case .send(let batch) = sent else {
        Issue.record("\(sent)")
        continue
      }
      #expect(batch.sequence == UInt64(number))
      #expect(batch.injection == id(number))
    }
    return queue
  }

  @Test func whatIsNotFinishedIsBounded() throws {
    var queue = fullFlight()
    let next = BrokerLimits.batchesInFlight + 1
    #expect(queue.enqueue(delivery(.moved), injection: id(next), readAt: moment) == .waits)
    #expect(queue.enqueue(delivery(.ended), injection: id(next + 1), readAt: moment) == .waits)
    #expect((queue.inFlightCount, queue.waitingCount) == (BrokerLimits.batchesInFlight, 2))

    let progress = try queue.finished(3)
    #expect(progress.finished == [id(1), id(2), id(3)])
    #expect(progress.send.map(\.sequence) == [UInt64(next), UInt64(next + 1)])
    #expect(progress.send.map(\.injection) == [id(next), id(next + 1)])
    #expect(queue.waitingCount == 0)
    #expect(queue.checkInvariants() == [])
  }

  @Test func acknowledgementsAreCumulativeAndRepeatable() throws {
    var queue = fullFlight()
    #expect(try queue.finished(10).finished.count == 10)
    #expect(try queue.finished(10) == ClientQueue.Progress())
    #expect(try queue.finished(4) == ClientQueue.Progress())
    #expect(try queue.finished(0) == ClientQueue.Progress())
    #expect(try queue.finished(UInt64(BrokerLimits.batchesInFlight)).finished.first == id(11))
    #expect(queue.inFlightCount == 0)
  }

  @Test func anAcknowledgementOfWhatWasNeverSentIsAnError() {
    var queue = ClientQueue()
    #expect(throws: ClientQueue.UnknownSequence(sequence: 1, lastSent: 0)) { try queue.finished(1) }
    _ = queue.enqueue(delivery(.began), injection: nil, readAt: moment)
    #expect(throws: ClientQueue.UnknownSequence(sequence: .max, lastSent: 1)) { try queue.finished(.max) }
    #expect(queue.inFlightCount == 1)
  }

  @Test func aFullQueueDropsMovesAndKeepsEnds() throws {
    var queue = fullFlight()
    for _ in 0..<BrokerLimits.batchesWaiting {
      #expect(queue.admitsBeginnings)
      #expect(queue.enqueue(delivery(.moved), injection: nil, readAt: moment) == .waits)
    }
    #expect(!queue.admitsBeginnings)
    #expect(queue.enqueue(delivery(.moved), injection: id(900), readAt: moment) == .dropped)
    #expect(queue.enqueue(delivery(.ended), injection: id(901), readAt: moment) == .waits)
    #expect(queue.enqueue(delivery(.cancelled), injection: id(902), readAt: moment) == .waits)
    #expect(queue.droppedCount == 1)
    #expect(queue.waitingCount == BrokerLimits.batchesWaiting + 2)
    _ = try queue.finished(2)
    #expect(!queue.admitsBeginnings)
    _ = try queue.finished(3)
    #expect(queue.admitsBeginnings)
  }

  @Test func onlyMovesAndRepeatsMayBeDropped() {
    func key(isDown: Bool, isRepeat: Bool) -> Delivery {
      let event = HIDEvent.key(.a, isDown: isDown, isRepeat: isRepeat)
      return Delivery(client: clientA, events: [WindowEvent(windowID: WindowID(rawValue: 1), event: event)])
    }
    #expect(delivery(.moved).isDroppable)
    for phase in [DigitizerEvent.Phase.began, .ended, .cancelled] { #expect(!delivery(phase).isDroppable) }
    #expect(key(isDown: true, isRepeat: true).isDroppable)
    #expect(!key(isDown: true, isRepeat: false).isDroppable)
    #expect(!key(isDown: false, isRepeat: false).isDroppable)
    var mixed = delivery(.moved)
    mixed.events += delivery(.ended).events
    #expect(!mixed.isDroppable)
  }

  @Test func aClientThatGoesGivesBackWhatItDidNotFinish() throws {
    var queue = fullFlight()
    _ = queue.enqueue(delivery(.ended), injection: nil, readAt: moment)
    _ = queue.enqueue(delivery(.ended), injection: id(900), readAt: moment)
    _ = try queue.finished(UInt64(BrokerLimits.batchesInFlight - 2))
    let rest = BrokerLimits.batchesInFlight - 1
    #expect(queue.close() == [id(rest), id(rest + 1), id(900)])
    #expect(queue.close() == [])
    #expect((queue.inFlightCount, queue.waitingCount) == (0, 0))
    #expect(queue.checkInvariants() == [])
  }
}
