import LinuxSystem
import PortKit
import TestSupport
import Testing

/// A message of another process wakes a sleeping loop through its Source1: what the loop does is exactly what CFRunLoop
/// does, and it knows which port it was.
@Suite(.serialized) struct WakeUpTests {
  private static let nextTurn = ["activity beforeTimers", "activity beforeSources", "activity beforeWaiting"]

  @Test(.timeLimit(.minutes(1))) func eachMessageIsOneWakeUpOfTheRightPort() throws {
    try BrokerStage.play { stage in
      let sleeper = try stage.probe("wake", "org.example.wake")
      #expect(try sleeper.lines(through: "activity beforeWaiting") == ["activity entry"] + Self.nextTurn)
      // The look-ups bring new wires to the ports. That is no message: the loop sleeps on.
      let first = try stage.bootstrap().lookUp(ServiceName("org.example.wake.first"))
      let second = try stage.bootstrap().lookUp(ServiceName("org.example.wake.second"))
      for number: Int32 in [5, 6, 7, 5] {
        if number == 6 { try second.send(Message(id: number)).get() } else { try first.send(Message(id: number)).get() }
        let port = "port \(number == 6 ? "second" : "first") \(number)"
        #expect(
          try sleeper.lines(through: "activity beforeWaiting") == ["activity afterWaiting", port] + Self.nextTurn)
      }
      try second.send(Message(id: 0)).get()
      let rest = try sleeper.result()
      #expect(rest.lines == ["activity afterWaiting", "port second 0", "activity exit", "result stopped"])
      #expect(rest.end == .exited(0))
    }
  }

  /// Both ports have mail before the loop looks: each gets a turn of its own.
  @Test(.timeLimit(.minutes(1))) func twoPortsGetATurnEach() throws {
    try BrokerStage.play { stage in
      let sleeper = try stage.probe("wake", "org.example.wake")
      let first = try stage.bootstrap().lookUp(ServiceName("org.example.wake.first"))
      let second = try stage.bootstrap().lookUp(ServiceName("org.example.wake.second"))
      try sleeper.lines(through: "activity beforeWaiting")
      // One message each, so that both new wires are taken in before the loop is stopped: that is a turn of its own.
      try first.send(Message(id: 1)).get()
      try sleeper.lines(through: "port first")
      try sleeper.lines(through: "activity beforeWaiting")
      try second.send(Message(id: 2)).get()
      try sleeper.lines(through: "port second")
      try sleeper.lines(through: "activity beforeWaiting")
      try sleeper.pause()
      try second.send(Message(id: 3)).get()
      try first.send(Message(id: 4)).get()
      sleeper.resume()
      // Which of them the kernel names first is its own business.
      let turns = [try sleeper.lines(through: "port "), try sleeper.lines(through: "port ")]
      #expect(Set(turns.compactMap(\.last)) == ["port second 3", "port first 4"])
      for turn in turns { #expect(turn.count { $0 == "activity afterWaiting" } == 1) }
      try first.send(Message(id: 0)).get()
      try sleeper.lines(through: "result stopped")
    }
  }
}
