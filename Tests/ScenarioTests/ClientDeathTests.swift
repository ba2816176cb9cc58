import HIDKit
import LinuxSystem
import PortKit
import TestSupport
import Testing

/// SIGKILL of a client or a service: who depends on it hears of it at once, nobody else notices.
@Suite(.serialized) struct ClientDeathTests {
  @Test(.timeLimit(.minutes(1))) func aClientDiesWithFingersDown() throws {
    try BrokerStage.play { stage in
      let left = try stage.probe("pad", "A", "0")
      let right = try stage.probe("pad", "B", "512")
      // One finger on each, in one frame.
      let down = try stage.inject(
        .finger(1, .began, at: HIDPoint(x: 100, y: 100)), .finger(2, .began, at: HIDPoint(x: 600, y: 100)))
      #expect(down == InjectOutcome(delivered: 2))
      try left.lines(through: "began 100 100")
      try right.lines(through: "began 88 100")

      // Events under way when it dies end as cancelled, and so does what follows. Both get the pinch in one turn of the
      // broker, so when A has seen it, it is on its way to B.
      try right.pause()
      let tool = try stage.start(
        "portctl", ["--json", "pinch", "512", "300", "2", "--radius", "50", "--duration", "10ms"])
      try left.lines(through: "began 462 300")
      right.kill()
      #expect(right.wait(until: Deadline(after: .seconds(10))) == .signalled(9))
      let told = try tool.result()
      #expect(told.end == .exited(1))
      #expect(told.errors == ["portctl: pinch: the client went away under the event"])
      let line = try decode(InputLine.self, try #require(told.lines.first))
      #expect(line.events.count >= 3 && line.events.allSatisfy { $0.outcome == "cancelled" })
      #expect(line.cancelled == line.injected)
      try left.lines(through: "ended 412 300")

      let move = try stage.inject(
        .finger(1, .moved, at: HIDPoint(x: 110, y: 100)), .finger(2, .moved, at: HIDPoint(x: 610, y: 100)))
      #expect(move == InjectOutcome(delivered: 1, cancelled: 1))
      let up = try stage.inject(
        .finger(1, .ended, at: HIDPoint(x: 110, y: 100)), .finger(2, .ended, at: HIDPoint(x: 610, y: 100)))
      #expect(up == InjectOutcome(delivered: 1, cancelled: 1))
      #expect(try left.lines(through: "ended") == ["moved 110 100", "ended 110 100"])

      #expect(try stage.windows().map(\.name) == ["A"])
      #expect(try stage.windows().map(\.focused) == [true])
      #expect(try stage.portctl("tap", "600", "100").end == .exited(6))
      try checkAccounts(try stage.stopBroker())
    }
  }

  private func checkAccounts(_ end: ProcessResult) throws {
    let accounts = try #require(end.errors.last.flatMap(Accounts.init))
    #expect(accounts.balance, "\(accounts)")
    #expect(accounts.missed == 2)
    #expect(end.end == .exited(0))
    #expect(end.errors.first == "portd: stopping on SIGTERM")
  }

  @Test(.timeLimit(.minutes(1))) func aServiceDiesWithACallInFlight() throws {
    try BrokerStage.play { stage in
      let name = "org.example.hang"
      let service = try stage.probe("hang", name)
      let caller = try stage.probe("call", name, "3")
      try service.lines(through: "took 1")
      let taken = #expect(throws: BootstrapError.self) { _ = try stage.bootstrap().checkIn(ServiceName(name)) }
      #expect(taken == .serviceActive(try ServiceName(name)))
      service.kill()
      // The call has no deadline of its own: only the death can end it.
      let told = try caller.result(within: .seconds(5))
      #expect(told.lines == ["ended 0 dead name: the port's receive right is gone", "answered 0"])
      #expect(told.end == .exited(0))

      #expect(service.wait(until: Deadline(after: .seconds(10))) == .signalled(9))
      let missing = #expect(throws: BootstrapError.self) { _ = try stage.bootstrap().lookUp(ServiceName(name)) }
      #expect(missing == .unknownService(try ServiceName(name)))
      let next = try stage.probe("echo", name)
      #expect(try stage.probe("call", name, "3").result().lines == ["answered 3"])
      #expect(next.wait(until: Deadline(after: .zero)) == nil)
    }
  }

  /// A look-up that waits for a name when the broker's other clients die and come.
  @Test(.timeLimit(.minutes(1))) func aWaitingLookUpSurvivesTheDeathOfOthers() throws {
    try BrokerStage.play { stage in
      let name = "org.example.late"
      let caller = try stage.start("PortProbe", ["call", name, "1"])
      let waiting = try stage.start("PortProbe", ["call", name, "1"])
      let other = try stage.probe("pad", "A", "0")
      waiting.kill()
      other.kill()
      let service = try stage.probe("echo", name)
      #expect(try caller.result().lines == ["ready", "answered 1"])
      #expect(service.wait(until: Deadline(after: .zero)) == nil)
    }
  }

  /// The other way round: the injector dies with its finger on the glass.
  @Test(.timeLimit(.minutes(1))) func anInjectorDiesInMidSwipe() throws {
    try BrokerStage.play { stage in
      let pad = try stage.probe("pad", "A", "0")
      let tool = try stage.start("portctl", ["swipe", "10", "10", "500", "10", "--duration", "60", "--steps", "6000"])
      try pad.lines(through: "moved")
      tool.kill()
      let seen = try pad.lines(through: "cancelled")
      #expect(seen.dropLast().allSatisfy { $0.hasPrefix("moved") })
      // The contact is over: the same place can be touched anew.
      #expect(try stage.portctl("tap", "10", "10").end == .exited(0))
      #expect(try pad.lines(through: "ended") == ["began 10 10", "ended 10 10"])
      let accounts = try stage.stopBroker().errors.last.flatMap(Accounts.init)
      #expect(accounts?.balance == true)
    }
  }

  /// An injector that goes while its event is with a client that does not read leaves nothing at the broker.
  @Test(.timeLimit(.minutes(1))) func injectorsThatGiveUpLeaveNothing() throws {
    try BrokerStage.play { stage in
      let pad = try stage.probe("pad", "P", "0")
      let before = try stage.settledDescriptors()
      try pad.pause()
      for _ in 0..<10 {
        let tool = try stage.portctl("--timeout", "0.05", "tap", "100", "100")
        #expect(tool.end == .exited(124))
      }
      #expect(try stage.settles { try ProcessCensus.descriptors(of: stage.broker) == before })
      pad.resume()
      #expect(try stage.settles { try ProcessCensus.descriptors(of: stage.broker) == before })
      #expect(try stage.stopBroker().errors.count == 2)
    }
  }
}
