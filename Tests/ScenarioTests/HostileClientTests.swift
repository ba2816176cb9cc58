import LinuxSystem
import PortKit
import TestSupport
import Testing

/// What no client of the library sends: it ends that client, is logged once, and costs the broker nothing.
@Suite(.serialized) struct HostileClientTests {
  @Test(.timeLimit(.minutes(1)), arguments: HostilePacket.all)
  func aHostilePacketEndsItsClientOnly(_ packet: HostilePacket) throws {
    try BrokerStage.play { stage in
      let name = try ServiceName("org.example.echo")
      let service = try stage.probe("echo", name.description)
      let wire = try stage.bootstrap().lookUp(name)
      let before = try stage.settledDescriptors()

      let client = try HostileClient(stage)
      try packet.send(client)
      #expect(client.isEnded(within: .seconds(5)))

      #expect(try stage.settles { try ProcessCensus.descriptors(of: stage.broker) == before })
      #expect(try ProcessCensus.descriptors(of: stage.broker) == before)
      #expect(try stage.bootstrap().lookUp(name).call(Message(id: 7)).get().id == 8)
      #expect(try wire.call(Message(id: 7)).get().id == 8)
      #expect(service.wait(until: Deadline(after: .zero)) == nil)
      let log = try stage.stopBroker().errors
      let user = ProcessFacts.effectiveUser
      #expect(log.first == "portd: client \(ProcessFacts.processID) (user \(user)) was ended: \(packet.reason)")
      #expect(log.count == 3, "\(log)")
    }
  }

  /// A frame may have so many rights, so this client goes on; the broker keeps none of them.
  @Test(.timeLimit(.minutes(1))) func rightsThatNobodyWantsAreClosed() throws {
    try BrokerStage.play { stage in
      let client = try HostileClient(stage)
      let before = try stage.settledDescriptors()
      for id: Int32 in [0x5000, 0x5001, 0x5002, 0x5003, 21_000, 21_004] {
        var frame = Frame(kind: 2, id: id)
        frame.sequence = UInt64(id)
        let pairs = try (0..<253).map { _ in try Pair() }
        frame.rights = pairs.indices.map { Frame.sendRight($0) }
        try client.send(frame.bytes, with: pairs)
        #expect(client.isAnswered(within: .seconds(5)))
      }
      #expect(try stage.settles { try ProcessCensus.descriptors(of: stage.broker) == before })
      #expect(try stage.stopBroker().errors.count == 2)
    }
  }

  /// A client that gives the broker its own connection as the port of a name harms itself.
  @Test(.timeLimit(.minutes(1))) func itsOwnConnectionAsAPort() throws {
    try BrokerStage.play { stage in
      let client = try HostileClient(stage)
      let before = try stage.settledDescriptors()
      var frame = Frame(kind: 2, id: 0x5000)
      frame.body = Frame.name("org.example.mirror")
      frame.rights = [Frame.sendRight(0)]
      try client.send(frame.bytes, [client.number])
      #expect(client.isAnswered(within: .seconds(5)))
      // The copy of that right comes back to the broker as a frame of this client.
      let mirror = try ServiceName("org.example.mirror")
      let right = try? stage.bootstrap().lookUp(mirror)
      #expect(client.isEnded(within: .seconds(5)))
      _ = try stage.settledDescriptors()
      #expect(right?.isDeadName ?? true)
      #expect(try stage.settles { try stage.bootstrap().listServices().isEmpty })
      #expect(try stage.settles { try ProcessCensus.descriptors(of: stage.broker) <= before })
      let log = try stage.stopBroker().errors
      #expect(log.count == 3, "\(log)")
    }
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      [], Array(repeating: 0x61, count: 129), Array("a\u{7}b".utf8), Array("a\u{0}".utf8), [0x61, 0xff], [0xc3],
    ] as [[UInt8]])
  func namesThatAreNoneAreRefused(_ name: [UInt8]) throws {
    #expect(throws: ServiceNameError.self) { try ServiceName(utf8: name) }
    for id: Int32 in [0x5000, 0x5001, 0x5002] {
      try BrokerStage.play { stage in
        let client = try HostileClient(stage)
        var frame = Frame(kind: 2, id: id)
        frame.body = Frame.name(name)
        frame.rights = [Frame.sendRight(0)]
        try client.send(frame.bytes, with: [Pair()])
        let answer = try #require(client.answer(within: .seconds(5)))
        // Header of a reply, then the status.
        #expect(answer[1] == 3)
        #expect(Array(answer.suffix(4)) == [4, 0, 0, 0])
        #expect(try stage.portctl("services").end == .exited(0))
        #expect(try stage.stopBroker().errors.count == 2)
      }
    }
  }

  /// Longest name that is one, in bytes and in another script.
  @Test(.timeLimit(.minutes(1))) func theLongestNamesWork() throws {
    try BrokerStage.play { stage in
      for name in [String(repeating: "n", count: 128), String(repeating: "é", count: 64)] {
        let service = try stage.probe("echo", name)
        #expect(try stage.bootstrap().lookUp(ServiceName(name)).call(Message(id: 1)).get().id == 2)
        #expect(try stage.portctl("services", "--json").lines.contains { $0.contains(name) })
        service.kill()
      }
    }
  }
}

extension BrokerStage {
  /// After a request of this process was answered: the connections of all are taken in.
  func settledDescriptors() throws -> Int {
    _ = try bootstrap().listServices()
    return try ProcessCensus.descriptors(of: broker)
  }
}
