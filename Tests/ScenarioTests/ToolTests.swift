import HIDKit
import LinuxSystem
import PortKit
import TestSupport
import Testing

/// portctl against a living broker.
@Suite(.serialized) struct ToolTests {
  @Test(.timeLimit(.minutes(1))) func touchesThatHit() throws {
    try BrokerStage.play { stage in
      let pad = try stage.probe("pad", "A", "0")
      let tap = try stage.portctl("tap", "10", "20", "--hold", "0")
      #expect(tap == ProcessResult(lines: ["tap: 2 events, 2 delivered"], errors: [], end: .exited(0)))
      #expect(try pad.lines(through: "ended") == ["began 10 20", "ended 10 20"])
      let swipe = try stage.portctl("swipe", "0", "0", "100", "50", "--steps", "2", "--duration", "10ms")
      #expect(swipe == ProcessResult(lines: ["swipe: 4 events, 4 delivered"], errors: [], end: .exited(0)))
      #expect(try pad.lines(through: "ended") == ["began 0 0", "moved 50 25", "moved 100 50", "ended 100 50"])
      let pinch = try stage.portctl("pinch", "200", "50", "0.5", "--radius", "20", "--duration", "0")
      #expect(pinch.end == .exited(0))
      let seen = try pad.lines(through: "ended 210 50")
      #expect(seen.prefix(2) == ["began 180 50", "began 220 50"])
      #expect(seen.suffix(2) == ["ended 190 50", "ended 210 50"])
      let key = try stage.portctl("key", "a", "KEY_ENTER", "--hold", "0")
      #expect(key == ProcessResult(lines: ["key: 4 events, 4 delivered"], errors: [], end: .exited(0)))
      #expect(
        try pad.lines(through: "key return up") == ["key a down", "key a up", "key return down", "key return up"])
      let quiet = try stage.portctl("-q", "tap", "10", "20", "--hold", "0")
      #expect(quiet == ProcessResult(lines: [], errors: [], end: .exited(0)))
    }
  }

  @Test(.timeLimit(.minutes(1))) func touchesThatMiss() throws {
    try BrokerStage.play { stage in
      let miss = try stage.portctl("tap", "10", "10", "--hold", "0")
      #expect(miss.lines == ["tap: 2 events, 0 delivered, 2 hit nothing"])
      #expect(miss.errors == ["portctl: tap: nothing takes input there"])
      #expect(miss.end == .exited(6))
      for (words, point) in [
        (["tap", "1024", "10"], "(1024, 10)"), (["tap", "10", "768"], "(10, 768)"),
        (["tap", "10.5", "9999"], "(10.5, 9999)"), (["tap", "--", "-1", "10"], "(-1, 10)"),
        (["swipe", "5000", "1", "2", "3"], "(5000, 1)"),
      ] {
        let told = try stage.run("portctl", words)
        #expect(told.end == .exited(6))
        #expect(told.errors == ["portctl: \(words[0]): point \(point) is off the display"])
        #expect(told.lines == [])
      }
      let pinch = try stage.portctl("pinch", "1000", "50", "2")
      #expect(pinch.errors == ["portctl: pinch: point (900, 50) or (1100, 50) is off the display"])
      #expect(pinch.end == .exited(6))
      #expect(try stage.portctl("key", "a", "--hold", "0").end == .exited(6))
    }
  }

  @Test(.timeLimit(.minutes(1))) func wrongCommandLines() throws {
    try BrokerStage.play { stage in
      let lines: [[String]] = [
        [], ["tap"], ["tap", "1"], ["tap", "1", "2", "3"], ["tap", "x", "1"], ["tap", "1", "nan"], ["fly"],
        ["swipe", "1", "2", "3"], ["tap", "1", "1", "--hold", "-1"], ["tap", "1", "1", "--count", "0"],
        ["key"], ["pinch", "1", "1", "0"], ["services", "x"], ["windows", "--nonsense"], ["completion", "tcsh"],
      ]
      for line in lines {
        let told = try stage.run("portctl", line)
        #expect(told.end == .exited(2), "\(line)")
        #expect(told.lines == [], "\(line)")
        #expect(!told.errors.isEmpty, "\(line)")
      }
      let key = try stage.portctl("key", "nokey")
      #expect(key == ProcessResult(lines: [], errors: ["portctl: key: no key is called 'nokey'"], end: .exited(2)))
      #expect(try stage.stopBroker().errors.count == 2)
    }
  }

  @Test(.timeLimit(.minutes(1))) func withoutABroker() throws {
    try BrokerStage.playWithoutBroker { stage in
      for words in [["tap", "1", "1"], ["key", "a"], ["services"], ["windows", "--json"]] {
        let told = try stage.run("portctl", words)
        #expect(told.end == .exited(3))
        #expect(told.lines == [])
        let start = "portctl: \(words[0]): no broker at \(stage.address.path): "
        #expect(told.errors.count == 1 && told.errors[0].hasPrefix(start))
      }
      // What needs none.
      for words in [["--help"], ["--version"], ["completion", "bash"], ["man"]] {
        let told = try stage.run("portctl", words)
        #expect(told.end == .exited(0))
        #expect(!told.lines.isEmpty)
        #expect(told.errors == [])
      }
    }
  }

  @Test(.timeLimit(.minutes(1))) func listings() throws {
    try BrokerStage.play { stage in
      #expect(try stage.portctl("services", "--json").lines == [])
      #expect(try stage.portctl("windows", "--json").lines == [])
      let service = try stage.probe("echo", "org.example.echo")
      let pads = [try stage.probe("pad", "A", "0"), try stage.probe("pad", "B", "512")]
      let user = ProcessFacts.effectiveUser
      #expect(
        try stage.portctl("services", "--json").lines == [
          #"{"name":"org.example.echo","pid":\#(service.processID),"uid":\#(user)}"#
        ])
      let services = try stage.portctl("services")
      #expect(services.end == .exited(0))
      #expect(
        services.lines.map { $0.split(separator: " ").map(String.init) } == [
          ["NAME", "PID", "UID"], ["org.example.echo", "\(service.processID)", "\(user)"],
        ])
      let windows = try stage.windows()
      #expect(windows.map(\.name) == ["B", "A"])
      #expect(windows.map(\.title) == ["B", "A"])
      #expect(windows.map(\.x) == [512, 0])
      #expect(windows.map(\.focused) == [true, false])
      #expect(windows.map(\.pid) == pads.reversed().map(\.processID))
      #expect(windows.allSatisfy { $0.y == 0 && $0.width == 512 && $0.height == 768 && $0.zOrder == 0 })
      let table = try stage.portctl("windows").lines.map { $0.split(separator: " ").map(String.init) }
      #expect(table.count == 3)
      #expect(table.last == ["\(windows[1].window)", "A", "\(pads[0].processID)", "512x768+0+0", "0", "A"])
    }
  }

  @Test(.timeLimit(.minutes(1))) func jsonOfInput() throws {
    try BrokerStage.play { stage in
      let pad = try stage.probe("pad", "A", "0")
      let told = try stage.portctl("--json", "swipe", "0", "0", "600", "0", "--steps", "3", "--duration", "0")
      #expect(told.lines.count == 1 && told.errors == [] && told.end == .exited(0))
      let line = try decode(InputLine.self, try #require(told.lines.first))
      #expect(line.verb == "swipe")
      #expect([line.injected, line.delivered, line.cancelled, line.missed] == [5, 5, 0, 0])
      #expect(line.events.allSatisfy { $0.outcome == "delivered" && $0.injectedNs > 0 })
      #expect(Set(line.events.map(\.injectedNs)).count == 5)
      try pad.lines(through: "ended 600 0")
      let nothing = try stage.portctl("--json", "tap", "700", "5", "--hold", "0")
      let miss = try decode(InputLine.self, try #require(nothing.lines.first))
      #expect([miss.injected, miss.delivered, miss.cancelled, miss.missed] == [2, 0, 0, 2])
    }
  }

  /// A client that does not answer costs the injector its patience, not its sanity.
  @Test(.timeLimit(.minutes(1))) func aClientThatStandsStill() throws {
    try BrokerStage.play { stage in
      let pad = try stage.probe("pad", "A", "0")
      try pad.pause()
      let told = try stage.portctl("--timeout", "200ms", "tap", "10", "10")
      #expect(told.end == .exited(124))
      #expect(told.errors == ["portctl: tap: timed out"])
      pad.resume()
      // The injector left with its finger down.
      #expect(try pad.lines(through: "cancelled") == ["began 10 10", "cancelled 10 10"])
      #expect(try stage.portctl("tap", "10", "10").end == .exited(0))
    }
  }

  /// Both use the same number for their finger.
  @Test(.timeLimit(.minutes(1))) func twoInjectorsDoNotMix() throws {
    try BrokerStage.play { stage in
      let pad = try stage.probe("pad", "A", "0")
      let tools = try ["100", "200"].map { y in
        try stage.start("portctl", ["swipe", "0", y, "500", y, "--steps", "100", "--duration", "300ms"])
      }
      for tool in tools { #expect(try tool.result().lines == ["swipe: 102 events, 102 delivered"]) }
      var seen: [String] = []
      for _ in tools { seen += try pad.lines(through: "ended") }
      #expect(seen.count == 204)
      for y in ["100", "200"] {
        let own = seen.filter { $0.hasSuffix(" " + y) }
        #expect(own == ["began 0 \(y)"] + (1...100).map { "moved \($0 * 5) \(y)" } + ["ended 500 \(y)"])
      }
      // They were at it at the same time.
      #expect(seen.firstIndex { $0.hasPrefix("ended") }! > seen.lastIndex { $0.hasPrefix("began") }!)
    }
  }
}
