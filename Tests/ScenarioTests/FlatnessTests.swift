import LinuxSystem
import PortKit
import TestSupport
import Testing

/// Whoever comes and goes leaves nothing behind: descriptors and memory of those who stay are the same after thousands
/// of rounds. `PORTKIT_DEEP=1` makes ten thousand.
@Suite(.serialized) struct FlatnessTests {
  private static let service = "org.example.echo"
  private static let rounds = Depth.isDeep ? 10_000 : 150

  @Test("Clients that connect, look up, call and go") func connects() throws {
    try BrokerStage.play { stage in
      let name = try ServiceName(Self.service)
      try stayFlat([stage.broker, try stage.probe("echo", Self.service)]) {
        let client = try Bootstrap.connect(to: stage.address)
        let right = try client.lookUp(name)
        let answer = try right.call(Message(id: 1), timeout: .seconds(5)).get().id
        #expect(answer == 2)
      }
    }
  }

  @Test("Clients that are killed in the middle of their calls") func kills() throws {
    try BrokerStage.play { stage in
      var clients: [ChildProcess] = []
      try stayFlat([stage.broker, try stage.probe("echo", Self.service)]) {
        // Several at a time, so that some begin while others end.
        while clients.count < 4 {
          clients.append(
            try ChildProcess(
              stage.programs + "/PortProbe", ["call", Self.service, "1000000"], environment: stage.environment,
              diesWithThread: true))
        }
        let victim = clients.removeFirst()
        try victim.lines(through: "ready", within: .seconds(20))
        victim.kill()
        #expect(victim.wait(until: Deadline(after: .seconds(5))) == .signalled(9))
      } atRest: {
        for client in clients {
          client.kill()
          _ = client.wait(until: Deadline(after: .seconds(5)))
        }
        clients = []
      }
    }
  }

  @Test("A port that goes to another process and comes back, with mail in it") func moves() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      try FlatnessTests().moveToAndFro()
      if let leak = descriptorLeak(since: before) { Issue.record("\(leak)") }
    }
  }

  private func moveToAndFro() throws {
    let probe = try Probe("mover", ["1"])
    guard let connection = probe.takeConnection() else { throw StageError.noLine("a connection", seen: []) }
    let home = try ReceiveRight(adopting: connection)
    var hello = try home.receive(timeout: .seconds(20))
    let way = try hello.takeSendRight(at: 0)
    var port: ReceiveRight? = try ReceiveRight()
    let right = try port!.makeSendRight()
    try stayFlat([probe.process]) {
      // One message is taken there, one travels there and back.
      for id in 1...2 as ClosedRange<Int32> { try right.send(Message(id: id)).get() }
      var message = Message(id: 3)
      message.attach(port.take()!)
      try way.send(message).get()
      var answer = try home.receive(timeout: .seconds(5))
      let returned = try answer.takeReceiveRight(at: 0)
      let isThere = try returned.receive(timeout: .seconds(5)).id == 2
      #expect(isThere)
      port = consume returned
    }
  }

  // MARK: Measuring

  /// - Parameter atRest: brings about the state in which the figures are compared.
  private func stayFlat(
    _ processes: [ChildProcess], _ round: () throws -> Void, atRest: () throws -> Void = {}
  ) throws {
    for _ in 0..<(Self.rounds / 5) { try round() }
    try atRest()
    let descriptors = try processes.map { try ProcessCensus.descriptors(of: $0) }
    let memory = try processes.map { try ProcessCensus.memory(of: $0) }
    for _ in 0..<Self.rounds { try round() }
    try atRest()
    for (index, process) in processes.enumerated() {
      let found = try ProcessCensus.settled(descriptors[index], within: .seconds(5)) {
        try ProcessCensus.descriptors(of: process)
      }
      let kinds = try ProcessCensus.kinds(of: process)
      #expect(found <= descriptors[index], "\(kinds)")
      let growth = try ProcessCensus.memory(of: process) - memory[index]
      print("FlatnessTests: \(Self.rounds) rounds, process \(index): \(found) descriptors, \(growth) bytes more")
      // The heap's own ups and downs, which do not grow with the rounds.
      if !Depth.hasSanitizer { #expect(growth <= 512 * 1024 + 10 * Self.rounds) }
    }
  }
}
