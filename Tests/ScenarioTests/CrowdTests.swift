import LinuxSystem
import PortKit
import TestSupport
import Testing

/// More clients than the broker has descriptors for.
@Suite(.serialized) struct CrowdTests {
  /// Whichever step of taking one in runs out: nobody is left waiting, and the broker goes on.
  @Test(.timeLimit(.minutes(1)), arguments: 30...38) func theBrokerRunsOutOfDescriptors(limit: Int) throws {
    try BrokerStage.playWithoutBroker { stage in
      try stage.startBroker(descriptorLimit: limit)
      var clients = try (0..<20).map { _ in try HostileClient(stage) }
      var answered = 0
      for client in clients {
        var list = Frame(kind: 2, id: 0x5003)
        list.body = Frame.name("")
        // It may be closed already.
        _ = try? client.send(list.bytes)
        try #require(try client.isHeard(within: .seconds(5)))
        if client.isAnswered(within: .zero) { answered += 1 }
      }
      #expect((1..<20).contains(answered))
      clients = []
      let services = try stage.portctl("services")
      #expect(services.end == .exited(0))
      #expect(try stage.stopBroker().end == .exited(0))
    }
  }
}
