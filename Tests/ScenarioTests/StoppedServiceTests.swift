import LinuxSystem
import PortKit
import TestSupport
import Testing

/// Look-ups of a service that stands still: the broker hands out as many rights as may be under way, the rest waits.
@Suite(.serialized) struct StoppedServiceTests {
  private static let name = try! ServiceName("org.example.stopped")

  private final class LookUps: Sendable {
    private let results = Monitor<[BootstrapError?]>([])
    private let rights = Monitor<[RightBox]>([])

    /// Each client has a connection of its own.
    func start(_ count: Int, _ address: BrokerAddress) throws -> [WorkerThread] {
      try (0..<count).map { _ in
        let bootstrap = try Bootstrap.connect(to: address)
        return WorkerThread {
          var failure: BootstrapError?
          do throws(BootstrapError) {
            let box = RightBox(try bootstrap.lookUp(StoppedServiceTests.name))
            self.rights.withLock { $0.append(box) }
          } catch { failure = error }
          self.results.withLock { $0.append(failure) }
          self.results.notifyAll()
        }
      }
    }

    func wait(for count: Int) -> Bool {
      results.wait(until: Deadline(after: .seconds(20)), while: { $0.count < count })
    }
    var ended: [BootstrapError?] { results.withLock { $0 } }
    var found: [RightBox] { rights.withLock { $0 } }
  }

  private func answers(_ right: RightBox) -> Bool {
    ending(right.right.call(Message(id: 1), timeout: .seconds(10))) == nil
  }

  /// The broker does other work while clients wait: that is shown by what it answers, not by how fast.
  private func expectResponsive(_ stage: BrokerStage) throws {
    #expect(try stage.bootstrap().listServices(timeout: .seconds(5)).count == 2)
    let other = RightBox(try stage.bootstrap().lookUp(try ServiceName("org.example.other")))
    #expect(answers(other))
  }

  @Test(.timeLimit(.minutes(1))) func eachOfThirtyClientsHasItsRightOrAnErrorAfterFiveSeconds() throws {
    try BrokerStage.play { stage in
      let service = try stage.probe("echo", Self.name.description)
      _ = try stage.probe("echo", "org.example.other")
      try service.pause()
      let lookUps = LookUps()
      let start = Instant.now
      let threads = try lookUps.start(30, stage.address)
      #expect(lookUps.wait(for: 8))
      try expectResponsive(stage)
      #expect(lookUps.ended == [BootstrapError?](repeating: nil, count: 8))
      #expect(lookUps.wait(for: 30))
      for thread in threads { thread.join() }
      #expect(start.duration(to: .now) >= .seconds(4))
      #expect(lookUps.ended.dropFirst(8).allSatisfy { $0 == .timedOut(Self.name) }, "\(lookUps.ended)")
      try expectResponsive(stage)
      service.resume()
      for right in lookUps.found { #expect(answers(right)) }
      let late = RightBox(try stage.bootstrap().lookUp(Self.name))
      #expect(answers(late))
    }
  }

  @Test(.timeLimit(.minutes(1))) func aServiceThatGoesOnServesThemAll() throws {
    try BrokerStage.play { stage in
      let service = try stage.probe("echo", Self.name.description)
      _ = try stage.probe("echo", "org.example.other")
      try service.pause()
      let lookUps = LookUps()
      let threads = try lookUps.start(30, stage.address)
      #expect(lookUps.wait(for: 8))
      try expectResponsive(stage)
      service.resume()
      #expect(lookUps.wait(for: 30))
      for thread in threads { thread.join() }
      #expect(lookUps.ended == [BootstrapError?](repeating: nil, count: 30))
      for right in lookUps.found { #expect(answers(right)) }
    }
  }

  /// Those who wait hear that the name is gone.
  @Test(.timeLimit(.minutes(1))) func aServiceThatIsKilledEndsThemAll() throws {
    try BrokerStage.play { stage in
      let service = try stage.probe("echo", Self.name.description)
      try service.pause()
      let lookUps = LookUps()
      let threads = try lookUps.start(30, stage.address)
      #expect(lookUps.wait(for: 8))
      service.kill()
      #expect(lookUps.wait(for: 30))
      for thread in threads { thread.join() }
      #expect(lookUps.ended.dropFirst(8).allSatisfy { $0 == .unknownService(Self.name) }, "\(lookUps.ended)")
      // Their ends lie unread in a port that is gone: the kernel collects them when it gets to it.
      for right in lookUps.found { #expect(waitUntil { right.right.isDeadName }) }
    }
  }
}
