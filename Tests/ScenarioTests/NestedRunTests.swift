import HIDKit
import LinuxSystem
import PortKit
import TestSupport
import Testing

/// A view that runs the loop in its callout, as modal code does.
@Suite(.serialized) struct NestedRunTests {
  /// Two deliveries are at hand when the first one's view nests a run: the second is dispatched in there.
  @Test(.timeLimit(.minutes(1))) func aNestedRunGoesOnWithTheEventsAtHand() throws {
    try BrokerStage.play { stage in
      let puppet = try stage.probe("puppet", "P")
      let strings = try stage.bootstrap().lookUp(ServiceName("P"))
      _ = try strings.call(.window(order: -1)).get()
      _ = try strings.call(Message(id: 4)).get()
      // Lies over the right half. Each frame touches both, so this one tells when the puppet's port has it as well.
      let pad = try stage.probe("pad", "B", "512")
      try puppet.pause()
      let first = Injector(stage.address, .hand(fingers: [finger(1, 10), finger(2, 600)]))
      try pad.lines(through: "began 88")
      let second = Injector(stage.address, .hand(fingers: [finger(3, 20), finger(4, 30), finger(5, 610)]))
      try pad.lines(through: "began 98")
      puppet.resume()
      let seen = try puppet.lines(through: "nested run over")
      #expect(seen == ["began P.1 1", "began P.1 2", "nested run over"])
      #expect(first.join() == InjectOutcome(delivered: 2))
      #expect(second.join() == InjectOutcome(delivered: 2))
      let tap = try stage.portctl("tap", "10", "10")
      #expect(tap.end == .exited(0))
    }
  }

  private func finger(_ identity: UInt32, _ x: Double) -> DigitizerEvent {
    .finger(identity, .began, at: HIDPoint(x: x, y: 10))
  }
}

/// Injects one event on a thread and a connection of its own.
private final class Injector {
  private let thread: WorkerThread
  private let outcome = Monitor<InjectOutcome?>(nil)

  init(_ address: BrokerAddress, _ event: HIDEvent) {
    let outcome = outcome
    thread = WorkerThread {
      let answer = try? Bootstrap.connect(to: address).perform(InjectEvent(event: event), timeout: .seconds(10))
      outcome.withLock { $0 = answer }
    }
  }

  func join() -> InjectOutcome? {
    thread.join()
    return outcome.withLock { $0 }
  }
}
