import LinuxSystem
import PortKit
import TestSupport
import Testing

/// An idle system makes no wake-ups.
@Suite(.serialized) struct IdleTests {
  /// Settling and watching are what is measured here: nothing may happen in that time. PORTKIT_DEEP=1 watches longer.
  @Test(.timeLimit(.minutes(1))) func nobodyWakesUpWithoutReason() throws {
    try BrokerStage.play { stage in
      let actors = [
        stage.broker, try stage.probe("pad", "A", "0"), try stage.probe("echo", "org.example.echo"),
      ]
      // Each has worked and goes to rest.
      #expect(try stage.portctl("tap", "10", "10").end == .exited(0))
      #expect(try stage.probe("call", "org.example.echo", "3").result().lines == ["answered 3"])
      stayAlive(stage.broker, for: .seconds(2))
      let before = try actors.map { try ProcessCensus.waits(of: $0) }
      stayAlive(stage.broker, for: .seconds(Depth.isDeep ? 10 : 2))
      #expect(try actors.map { try ProcessCensus.waits(of: $0) } == before)
      #expect(before.allSatisfy { !$0.isEmpty })
      #expect(try stage.portctl("tap", "10", "10").end == .exited(0))
      #expect(try ProcessCensus.waits(of: stage.broker) != before[0])
    }
  }

  /// Waiting for the broker's end, which does not come.
  private func stayAlive(_ broker: ChildProcess, for time: Duration) {
    #expect(broker.wait(until: Deadline(after: time)) == nil)
  }

  /// Clients without a broker wait for it: they do not ask for it again and again.
  @Test(.timeLimit(.minutes(1))) func nobodyPollsForALostBroker() throws {
    try BrokerStage.play { stage in
      let clients = [try stage.probe("pad", "A", "0"), try stage.probe("echo", "org.example.echo")]
      try stage.killBroker()
      for client in clients { try client.lines(through: "broker lost") }
      for client in clients { #expect(client.wait(until: Deadline(after: .milliseconds(500))) == nil) }
      let before = try clients.map { try ProcessCensus.waits(of: $0) }
      #expect(clients[0].wait(until: Deadline(after: .seconds(1))) == nil)
      #expect(try clients.map { try ProcessCensus.waits(of: $0) } == before)
      try stage.startBroker()
      for client in clients { try client.lines(through: "broker restored") }
    }
  }
}
