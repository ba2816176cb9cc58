import FoundationEssentials
import LinuxSystem
import PortKit
import TestSupport
import Testing

/// How portd starts, refuses to start, and stops.
@Suite(.serialized) struct DaemonStartTests {
  private func permissions(_ bits: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: bits], ofItemAtPath: path)
  }

  private func makeDirectory(_ path: String, _ bits: Int = 0o700) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try permissions(bits, path)
  }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  @Test(.timeLimit(.minutes(1)), arguments: [0o755, 0o770, 0o707, 0o500])
  func aDirectoryThatIsOpenToOthers(bits: Int) throws {
    try BrokerStage.playWithoutBroker { stage in
      let place = stage.directory + "/portd"
      try makeDirectory(place, bits)
      let told = try stage.run("portd")
      #expect(told.end == .exited(4))
      let mode = String(bits, radix: 8)
      #expect(told.errors == ["portd: \(place) has mode \(mode) instead of 700; mend it with: chmod 700 \(place)"])
      #expect(!exists(place + "/portd.lock"))
      // What it said helps.
      try permissions(0o700, place)
      try stage.startBroker()
    }
  }

  @Test(.timeLimit(.minutes(1))) func aDirectoryOfSomebodyElse() throws {
    try BrokerStage.playWithoutBroker { stage in
      let place = stage.directory + "/portd"
      try makeDirectory(place)
      do {
        try FileManager.default.setAttributes([.ownerAccountID: 4711], ofItemAtPath: place)
      } catch {
        // Only root gives files away; the rule itself is tested as a function.
        #expect(ProcessFacts.effectiveUser != 0)
        return
      }
      let told = try stage.run("portd")
      #expect(told.end == .exited(4))
      #expect(
        told.errors == [
          "portd: \(place) belongs to user 4711, not to user 0; give it back with: sudo chown 0 \(place)"
        ])
    }
  }

  @Test(.timeLimit(.minutes(1)), arguments: [true, false]) func aLinkForADirectory(leadsSomewhere: Bool) throws {
    try BrokerStage.playWithoutBroker { stage in
      let place = stage.directory + "/portd"
      if leadsSomewhere { try makeDirectory(stage.directory + "/elsewhere") }
      try FileManager.default.createSymbolicLink(
        atPath: place, withDestinationPath: stage.directory + "/elsewhere")
      let told = try stage.run("portd")
      #expect(told.end == .exited(4))
      #expect(
        told.errors == ["portd: \(place) is a symbolic link; move it away with: mv \(place) \(place).old"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: stage.directory).count == (leadsSomewhere ? 2 : 1))
    }
  }

  @Test(.timeLimit(.minutes(1))) func aStaleSocketIsReplaced() throws {
    try BrokerStage.play { stage in
      for _ in 1...3 {
        try stage.killBroker()
        #expect(exists(stage.address.path))
        #expect(try stage.portctl("services").end == .exited(3))
        try stage.startBroker()
        #expect(try stage.portctl("services").end == .exited(0))
      }
    }
  }

  @Test(.timeLimit(.minutes(1))) func aSecondBrokerGivesWay() throws {
    try BrokerStage.play { stage in
      let service = try stage.probe("echo", "org.example.echo")
      let told = try stage.run("portd")
      #expect(told.end == .exited(1))
      #expect(
        told.errors == [
          "portd: another portd serves this directory (it holds \(stage.directory)/portd/portd.lock)"
        ])
      #expect(told.lines == [])
      #expect(try stage.probe("call", "org.example.echo", "2").result().lines == ["answered 2"])
      #expect(service.wait(until: Deadline(after: .zero)) == nil)
    }
  }

  @Test(.timeLimit(.minutes(1)), arguments: [(2, "SIGINT"), (15, "SIGTERM")] as [(CInt, String)])
  func itStopsInOrder(signal: CInt, name: String) throws {
    try BrokerStage.play { stage in
      let pad = try stage.probe("pad", "A", "0")
      stage.broker.signal(signal)
      let told = try stage.broker.result()
      #expect(told.end == .exited(0))
      #expect(
        told.errors == [
          "portd: stopping on \(name)",
          "portd: stopped; 0 injected = 0 delivered + 0 cancelled + 0 missed, 0 pending",
        ])
      #expect(try FileManager.default.contentsOfDirectory(atPath: stage.directory + "/portd") == ["portd.lock"])
      try pad.lines(through: "broker lost")
      #expect(try stage.portctl("services").end == .exited(3))
      try stage.startBroker()
      try pad.lines(through: "broker restored")
    }
  }

  @Test(.timeLimit(.minutes(1))) func withoutAPlace() throws {
    try BrokerStage.playWithoutBroker { stage in
      var environment = stage.environment
      environment["XDG_RUNTIME_DIR"] = nil
      let nowhere = try stage.run("portd", environment: environment)
      #expect(nowhere.end == .exited(6))
      #expect(
        nowhere.errors == ["portd: no place for the socket: set XDG_RUNTIME_DIR, or give --socket PATH"])
      environment["XDG_RUNTIME_DIR"] = stage.directory + "/missing"
      let missing = try stage.run("portd", environment: environment)
      #expect(missing.end == .exited(6))
      #expect(missing.errors.count == 1)
      environment["XDG_RUNTIME_DIR"] = "relative"
      #expect(try stage.run("portd", environment: environment).end == .exited(2))
    }
  }

  @Test(.timeLimit(.minutes(1))) func pathsThatDoNotFit() throws {
    try BrokerStage.playWithoutBroker { stage in
      let base = stage.directory + "/portd/"
      for bytes in [108, 500] {
        let path = base + String(repeating: "s", count: bytes - base.utf8.count)
        let told = try stage.run("portd", ["--socket", path])
        #expect(told.end == .exited(2))
        #expect(told.errors.first == "portd: the socket's path has \(bytes) bytes, 107 fit -- '\(path)'")
      }
      for path in ["relative.sock", base, base + "..", base + "portd.lock"] {
        #expect(try stage.run("portd", ["--socket", path]).end == .exited(2))
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: stage.directory) == [])
    }
  }

  /// The longest path that fits, with a long and with a short name at its end.
  @Test(.timeLimit(.minutes(1)), arguments: [1, 2, 40]) func theLongestPath(nameBytes: Int) throws {
    try BrokerStage.playWithoutBroker { stage in
      let base = stage.directory + "/"
      let directory = base + String(repeating: "d", count: 107 - base.utf8.count - 1 - nameBytes)
      let path = directory + "/" + String(repeating: "s", count: nameBytes)
      let broker = try stage.start("portd", ["--socket", path])
      try broker.errorLines(through: "portd: listening at \(path),")
      #expect(try stage.portctl("--socket", path, "services").end == .exited(0))
      broker.terminate()
      #expect(try broker.result().end == .exited(0))
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["portd.lock"])
    }
  }

  @Test(.timeLimit(.minutes(1))) func theEnvironmentNamesTheSocket() throws {
    try BrokerStage.playWithoutBroker { stage in
      var environment = stage.environment
      environment["PORTD_SOCKET"] = stage.directory + "/own/bus.sock"
      let broker = try stage.start("portd", environment: environment)
      try broker.errorLines(through: "portd: listening at \(stage.directory)/own/bus.sock, display 1024x768")
      #expect(try stage.run("portctl", ["services"], environment: environment).end == .exited(0))
      #expect(try stage.portctl("services").end == .exited(3))
    }
  }

  @Test(.timeLimit(.minutes(1)), arguments: [["--display", "0x5"], ["--nonsense"], ["operand"]])
  func wrongCommandLines(_ arguments: [String]) throws {
    try BrokerStage.playWithoutBroker { stage in
      let told = try stage.run("portd", arguments)
      #expect(told.end == .exited(2))
    }
  }
}
