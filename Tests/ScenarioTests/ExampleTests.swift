import FoundationEssentials
import LinuxSystem
import TestSupport
import Testing

/// What people try first.
@Suite(.serialized) struct ExampleTests {
  @Test(.timeLimit(.minutes(1))) func echoService() throws {
    try BrokerStage.play { stage in
      let service = try stage.start("EchoService", ["serve"])
      let call = try stage.run("EchoService", ["call", "hello", "", "wörld"])
      #expect(call == ProcessResult(lines: ["101: hello", "101: ", "101: wörld"], errors: [], end: .exited(0)))
      try stage.killBroker()
      try stage.startBroker()
      #expect(try stage.run("EchoService", ["call", "again"]).lines == ["101: again"])
      #expect(service.wait(until: Deadline(after: .zero)) == nil)
    }
  }

  /// What Docs/Ports.md tells, in one process.
  @Test(.timeLimit(.minutes(1))) func portTour() throws {
    try BrokerStage.playWithoutBroker { stage in
      let tour = try stage.run("PortTour", [])
      let told = """
        message 1 with 3 bytes
        right 0: send
        right 1: send
        right 2: sendOnce
        message 3 came home
        sent 1
        sent 2
        not sent: 3, timed out
        sent 3 after all
        batch through 100
        a thread says 42
        dead name: true
        message 4 came back: dead name: the port's receive right is gone
        unused: true
        message 8 is a question: true
        not destroyed: the port is guarded
        has senders: true, made 1
        dead name: true
        message 9 outlived the owner of its port
        handled 5
        handled 6
        message 7 came too late: dead name: the port's receive right is gone
        """
      #expect(tour == ProcessResult(lines: told.split(separator: "\n").map(String.init), errors: [], end: .exited(0)))
    }
  }

  /// The same among processes: the client ends as the owner of the service's port.
  @Test(.timeLimit(.minutes(1))) func portTourOfTwo() throws {
    try BrokerStage.play { stage in
      let service = try stage.start("PortTour", ["serve"])
      let visit = try stage.run("PortTour", ["visit"])
      let told = [
        "hello, thread", "it was sent, and ends without a reply: the callee dropped the reply right", "hello, task",
        "hello, callback", "news 1", "news 2", "news 3", "no senders", "message 7 reached its new owner",
      ]
      #expect(visit == ProcessResult(lines: told, errors: [], end: .exited(0)))
      let end = try service.result(within: .seconds(5))
      #expect(end == ProcessResult(lines: ["serving", "handed over"], errors: [], end: .exited(0)))
    }
  }

  @Test(.timeLimit(.minutes(1))) func touchPad() throws {
    try BrokerStage.play { stage in
      let pad = try stage.start("TouchPad", ["--name", "P", "--x", "100", "--y", "50", "--size", "300x200"])
      try pad.lines(through: "P: ready")
      #expect(try stage.portctl("tap", "110", "70", "--hold", "0").end == .exited(0))
      let touches = try pad.lines(through: "P: ended")
      #expect(touches.count == 2 && touches[0].hasPrefix("P: began (10, 20) after "))
      #expect(try stage.portctl("key", "a", "--hold", "0").end == .exited(0))
      try pad.lines(through: "P: key up a")
      #expect(try stage.portctl("tap", "99", "70").end == .exited(6))
      try stage.killBroker()
      try pad.lines(through: "P: broker lost")
      try stage.startBroker()
      try pad.lines(through: "P: broker restored")
      #expect(try stage.windows().map(\.name) == ["P"])
    }
  }

  /// The whole way in one program, which leaves neither processes nor files. It gives its children an environment of
  /// their own, without what a sanitizer is told.
  @Test(.enabled(if: !Depth.hasSanitizer), .timeLimit(.minutes(1))) func demo() throws {
    try BrokerStage.playWithoutBroker { stage in
      let demo = try stage.start("Demo")
      try demo.lines(through: "two windows")
      let place = try #require(try ProcessCensus.variable("XDG_RUNTIME_DIR", ofChildOf: demo))
      #expect(FileManager.default.fileExists(atPath: place))
      let told = try demo.result(within: .seconds(30))
      #expect(told.end == .exited(0))
      let last = try #require(told.lines.last)
      #expect(last.hasPrefix("demo: ") && last.hasSuffix(" with their client, 0 lost"))
      #expect(told.lines.contains { $0.contains("killed") })
      #expect(!FileManager.default.fileExists(atPath: place))
      #expect(try ProcessCensus.processes(naming: place) == [])
    }
  }

  /// The same of the tests' own stage.
  @Test(.timeLimit(.minutes(1))) func aStageLeavesNothing() throws {
    struct Unexpected: Error {}
    var place = ""
    #expect(throws: Unexpected.self) {
      try BrokerStage.play { stage in
        place = stage.directory
        _ = try stage.probe("pad", "A", "0")
        #expect(try ProcessCensus.processes(naming: place).count == 2)
        throw Unexpected()
      }
    }
    #expect(try ProcessCensus.processes(naming: place) == [])
    #expect(!FileManager.default.fileExists(atPath: place))
  }
}
