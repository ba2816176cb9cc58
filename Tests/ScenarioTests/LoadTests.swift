import HIDKit
import LinuxSystem
import PortKit
import TestSupport
import Testing

@Suite(.serialized) struct LoadTests {
  /// Each caller counts its own replies and looks into each; the service answers whatever comes.
  @Test(.timeLimit(.minutes(1))) func fourCallersAtOnceLoseNothing() throws {
    try BrokerStage.play { stage in
      let service = try stage.probe("echo", "org.example.echo")
      let callers = try (0..<4).map { _ in try stage.start("PortProbe", ["call", "org.example.echo", "10000"]) }
      for caller in callers {
        let told = try caller.result(within: .seconds(30))
        #expect(told.lines == ["ready", "answered 10000"])
        #expect(told.end == .exited(0))
      }
      #expect(service.wait(until: Deadline(after: .zero)) == nil)
    }
  }

  /// Connect, check in, look up, show a window, touch it, die: the broker has as many descriptors as before.
  @Test(.timeLimit(.minutes(1))) func deathsLeaveNoDescriptors() throws {
    try BrokerStage.play { stage in
      let bootstrap = try stage.bootstrap()
      #expect(try stage.stacking() == [])
      let before = try ProcessCensus.descriptors(of: stage.broker)
      for round: UInt32 in 1...200 {
        let name = try ServiceName("org.example.round\(round)")
        let puppet = try stage.probe("puppet", name.description)
        let strings = try bootstrap.lookUp(name)
        _ = try strings.call(.window(order: 0)).get()
        let point = HIDPoint(x: 10, y: 10)
        #expect(try stage.inject(.finger(round, .began, at: point)) == InjectOutcome(delivered: 1))
        puppet.kill()
        #expect(puppet.wait(until: Deadline(after: .seconds(10))) == .signalled(9))
        _ = try stage.inject(.finger(round, .ended, at: point))
      }
      #expect(try stage.settles { try ProcessCensus.descriptors(of: stage.broker) == before })
      #expect(try ProcessCensus.descriptors(of: stage.broker) == before)
      #expect(try stage.stacking() == [])
      #expect(try bootstrap.listServices() == [])
      let end = try stage.stopBroker()
      let accounts = try #require(end.errors.last.flatMap(Accounts.init))
      #expect(accounts.balance, "\(accounts)")
      #expect(accounts.delivered == 200)
      #expect(end.errors.count == 2)
    }
  }
}

extension Message {
  /// What a puppet obeys: shows a window over the whole display.
  static func window(order: Int32) -> Message {
    var writer = MessageWriter()
    writer.write(order)
    return Message(id: 1, writer)
  }
}
