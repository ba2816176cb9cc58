import FoundationEssentials
import HIDKit
import LinuxSystem
import PortKit
import TestSupport
import Testing

/// SIGKILL of the broker: it is in no data path, and what it knew is put back by those who told it.
@Suite(.serialized) struct BrokerRestartTests {
  private let echo = "org.example.echo"

  @Test(.timeLimit(.minutes(1))) func wiresGoOnAndEverythingComesBack() throws {
    try BrokerStage.play { stage in
      let service = try stage.probe("echo", echo)
      let pad = try stage.probe("pad", "A", "0")
      let wire = try stage.bootstrap().lookUp(ServiceName(echo))
      let caller = try stage.start("PortProbe", ["call", echo, "20000"])
      try caller.lines(through: "ready")
      #expect(try wire.call(Message(id: 1)).get().id == 2)
      _ = try stage.inject(
        .finger(1, .began, at: HIDPoint(x: 10, y: 10)), .finger(2, .began, at: HIDPoint(x: 20, y: 10)))
      try pad.lines(through: "began 20 10")

      #expect(try stage.killBroker() == [])
      // In the turn of the loss, without a word of a new broker.
      #expect(
        try pad.lines(through: "broker lost") == ["cancelled 10 10", "cancelled 20 10", "broker lost touches 0"])
      try service.lines(through: "broker lost")
      #expect(try wire.call(Message(id: 1)).get().id == 2)
      #expect(try stage.portctl("services").end == .exited(3))

      try stage.startBroker()
      #expect(try service.lines(through: "broker") == ["broker restored"])
      #expect(try pad.lines(through: "broker") == ["broker restored touches 0"])
      #expect(try wire.call(Message(id: 1)).get().id == 2)
      #expect(try stage.probe("call", echo, "5").result().lines == ["answered 5"])
      #expect(try stage.windows().map(\.name) == ["A"])
      #expect(try stage.windows().map(\.focused) == [true])
      #expect(try stage.portctl("tap", "10", "10").end == .exited(0))
      #expect(try pad.lines(through: "ended") == ["began 10 10", "ended 10 10"])
      #expect(try stage.portctl("key", "a").end == .exited(0))
      #expect(try pad.lines(through: "key a up").count == 2)
      #expect(try caller.result(within: .seconds(30)).lines == ["answered 20000"])
    }
  }

  @Test(.timeLimit(.minutes(1))) func threeRestartsInARow() throws {
    try BrokerStage.play { stage in
      let service = try stage.probe("echo", echo)
      let puppet = try stage.probe("puppet", "P")
      _ = try stage.bootstrap().lookUp(ServiceName("P")).call(.window(order: 0)).get()
      for _ in 1...3 {
        try stage.killBroker()
        try stage.startBroker()
      }
      #expect(try stage.settles { try stage.stacking() == ["P.1*"] })
      let wire = try stage.bootstrap().lookUp(ServiceName(echo), waitingUpTo: .seconds(10))
      #expect(try wire.call(Message(id: 1)).get().id == 2)
      _ = try stage.bootstrap().lookUp(ServiceName("P"), waitingUpTo: .seconds(10))
      #expect(try stage.portctl("tap", "10", "10").end == .exited(0))
      #expect(try puppet.lines(through: "ended").suffix(2) == ["began P.1 1", "ended P.1 1"])
      #expect(service.wait(until: Deadline(after: .zero)) == nil)
    }
  }

  /// The directory that the clients watch goes as well, and comes back with the broker.
  @Test(.timeLimit(.minutes(1))) func theDirectoryGoesWithTheBroker() throws {
    try BrokerStage.play { stage in
      let clients = [try stage.probe("pad", "A", "0"), try stage.probe("echo", echo)]
      for _ in 1...3 {
        try stage.killBroker()
        for client in clients { try client.lines(through: "broker lost") }
        try FileManager.default.removeItem(atPath: stage.directory + "/portd")
        try stage.startBroker()
        for client in clients { try client.lines(through: "broker restored") }
      }
      let tap = try stage.portctl("tap", "10", "10")
      #expect(tap.end == .exited(0))
      #expect(try stage.probe("call", echo, "1").result().lines == ["answered 1"])
    }
  }

  /// Clients die and come between the brokers of a storm of restarts.
  @Test(.timeLimit(.minutes(1)), arguments: [1, UInt64.random(in: 2...UInt64.max)])
  func aStormOfDeaths(seed: UInt64) throws {
    print("BrokerRestartTests: seed \(seed)")
    var random = SeededNumbers(seed: seed)
    try BrokerStage.play { stage in
      var puppets: [(name: String, process: ChildProcess)] = []
      var number = 0
      func add() throws {
        number += 1
        let name = "P\(number)"
        puppets.append((name, try stage.probe("puppet", name)))
        _ = try stage.bootstrap().lookUp(ServiceName(name), waitingUpTo: .seconds(5)).call(.window(order: 0)).get()
      }
      for _ in 1...3 { try add() }
      for _ in 1...25 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          if puppets.count > 1 {
            let victim = puppets.remove(at: Int.random(in: 0..<puppets.count, using: &random)).process
            victim.kill()
            _ = victim.wait(until: Deadline(after: .seconds(5)))
          }
        case 1: try add()
        default:
          try stage.killBroker()
          try stage.startBroker()
        }
      }
      let titles = puppets.reversed().enumerated().map { $1.name + ".1" + ($0 == 0 ? "*" : "") }
      #expect(try stage.settles { try stage.stacking() == titles }, "\(titles), seed \(seed)")
      for puppet in puppets {
        let name = try ServiceName(puppet.name)
        #expect(try stage.bootstrap().lookUp(name, waitingUpTo: .seconds(5)).call(Message(id: 3)).get().id == 3)
      }
    }
  }

  /// Three clients with windows between each other's, which find the new broker in any order.
  @Test(.timeLimit(.minutes(1))) func stackingAndFocusAreAsBefore() throws {
    try BrokerStage.play { stage in
      let puppets = try ["A", "B", "C"].map { try stage.probe("puppet", $0) }
      func show(_ name: String, _ order: Int32) throws {
        _ = try stage.bootstrap().lookUp(ServiceName(name)).call(.window(order: order)).get()
      }
      for (name, order) in [("A", 0), ("B", 0), ("A", 5), ("C", 0), ("B", -1), ("C", 5), ("A", 0)] as [(_, Int32)] {
        try show(name, order)
      }
      let before = try stage.stacking()
      #expect(before == ["C.2", "A.2", "A.3*", "C.1", "B.1", "A.1", "B.2"])
      for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for puppet in puppets { try puppet.pause() }
        try stage.killBroker()
        try stage.startBroker()
        for index in order {
          puppets[index].resume()
          try puppets[index].lines(through: "broker restored")
        }
        #expect(try stage.stacking() == before, "order \(order)")
      }
    }
  }

  /// A client that takes its newest window away has the focus no longer when another one's is newer: the same client
  /// must have it after a restart.
  @Test(.timeLimit(.minutes(1))) func focusAfterARemovalIsAsBefore() throws {
    try BrokerStage.play { stage in
      let puppets = try ["A", "B"].map { try stage.probe("puppet", $0) }
      func call(_ name: String, _ request: consuming Message) throws {
        _ = try stage.bootstrap().lookUp(ServiceName(name)).call(request).get()
      }
      try call("A", .window(order: 0))
      try call("B", .window(order: 0))
      try call("A", .window(order: 0))
      try call("A", Message(id: 2))
      let before = try stage.stacking()
      try stage.killBroker()
      try stage.startBroker()
      for puppet in puppets { try puppet.lines(through: "broker restored") }
      #expect(try stage.stacking() == before)
    }
  }

  /// A request of the client finds the broker dead before the loop hears of it: the loop must hear of it all the same.
  @Test(.timeLimit(.minutes(1))) func aRequestThatFindsTheLossFirst() throws {
    try BrokerStage.play { stage in
      let puppet = try stage.probe("puppet", "P")
      let strings = try stage.bootstrap().lookUp(ServiceName("P"))
      _ = try strings.call(.window(order: 0)).get()
      try puppet.pause()
      // This message is ready before the news of the broker's death, so its request meets a dead connection.
      try strings.send(Message(id: 3)).get()
      try stage.killBroker()
      puppet.resume()
      try puppet.lines(through: "failed")
      try puppet.lines(through: "broker lost", within: .seconds(5))
      try stage.startBroker()
      try puppet.lines(through: "broker restored", within: .seconds(5))
      #expect(try stage.stacking() == ["P.1*"])
      #expect(try stage.portctl("tap", "1", "1").end == .exited(0))
    }
  }

  /// The same when the new broker is there already, so that the request succeeds.
  @Test(.timeLimit(.minutes(1))) func aRequestThatFindsTheNextBrokerFirst() throws {
    try BrokerStage.play { stage in
      let puppet = try stage.probe("puppet", "P")
      let strings = try stage.bootstrap().lookUp(ServiceName("P"))
      _ = try strings.call(.window(order: 0)).get()
      try puppet.pause()
      try strings.send(Message(id: 3)).get()
      try stage.killBroker()
      try stage.startBroker()
      puppet.resume()
      try puppet.lines(through: "broker restored", within: .seconds(5))
      #expect(try stage.stacking() == ["P.1*"])
      #expect(try strings.call(Message(id: 3)).get().id == 3)
    }
  }

  /// A look-up that waits at the broker ends with it, and an injector says what happened.
  @Test(.timeLimit(.minutes(1))) func requestsInFlightEndAtOnce() throws {
    try BrokerStage.play { stage in
      let pad = try stage.probe("pad", "A", "0")
      let waiting = try stage.start("PortProbe", ["call", "org.example.late", "1"])
      let tool = try stage.start("portctl", ["swipe", "10", "10", "500", "10", "--duration", "60", "--steps", "6000"])
      try pad.lines(through: "moved")
      try stage.killBroker()
      let told = try tool.result()
      #expect(told.end == .exited(3))
      #expect(told.errors.count == 1 && told.errors[0].hasPrefix("portctl: swipe: "))
      #expect(try waiting.result().end != .exited(0))
      try pad.lines(through: "cancelled")
      try stage.startBroker()
      try pad.lines(through: "broker restored")
      #expect(try stage.portctl("tap", "10", "10").end == .exited(0))
    }
  }

  @Test(.timeLimit(.minutes(1))) func aBrokerThatStandsStillLosesNothing() throws {
    try BrokerStage.play { stage in
      let pad = try stage.probe("pad", "A", "0")
      let service = try stage.probe("echo", echo)
      let wire = try stage.bootstrap().lookUp(ServiceName(echo))
      try stage.broker.pause()
      let tool = try stage.start("portctl", ["tap", "10", "10", "--count", "3", "--interval", "0", "--hold", "0"])
      let caller = try stage.start("PortProbe", ["call", echo, "3"])
      #expect(try wire.call(Message(id: 1)).get().id == 2)
      let late = try stage.start("PortProbe", ["pad", "B", "512"])
      stage.broker.resume()
      try late.lines(through: "ready")
      #expect(try tool.result().end == .exited(0))
      #expect(try caller.result().lines == ["ready", "answered 3"])
      var seen: [String] = []
      for _ in 1...3 { seen += try pad.lines(through: "ended") }
      #expect(seen == Array(repeating: ["began 10 10", "ended 10 10"], count: 3).flatMap(\.self))
      #expect(try stage.windows().map(\.name) == ["B", "A"])
      #expect(service.wait(until: Deadline(after: .zero)) == nil)
      #expect(try stage.stopBroker().errors.last.flatMap(Accounts.init)?.balance == true)
    }
  }
}
