import HIDKit
import LinuxSystem
import LoopCore
import PortKit
import TouchKit

/// The way of a touch through real processes: injector, portd, client, view. 1000 events a second; the time from the
/// injector's stamp to the view's method.
enum TwoHops {
  private static let pause = Duration.milliseconds(1)

  static func measure(_ metric: String, _ time: Duration) throws {
    let directory = try TemporaryDirectory(prefix: "portbench")
    defer { directory.remove() }
    let programs = try ProcessFacts.executableDirectory()
    let environment = ["XDG_RUNTIME_DIR": directory.path]
    let broker = try ChildProcess(
      programs + "/portd", environment: environment, capturesError: true, diesWithThread: true)
    verify(broker.readErrorLine(until: Deadline(after: .seconds(5))) != nil, "portd did not start")
    let client = try ChildProcess(
      programs + "/portbench", ["--pad"], environment: environment, diesWithThread: true)
    verify(client.readLine(until: Deadline(after: .seconds(5))) == "ready", "the client did not start")

    let bootstrap = try Bootstrap.connect(to: BrokerAddress(path: directory.path + "/portd/bootstrap.sock"))
    let sent = try inject(on: bootstrap, time)
    _ = try bootstrap.perform(InjectEvent(event: .key(.escape, isDown: true)))
    let count = client.readLine(until: Deadline(after: .seconds(5)))
    verify(count == "\(sent)", "\(sent) events sent, the view saw \(count ?? "nothing")")
    guard let line = client.readLine(until: Deadline(after: .seconds(5))) else { fail("no result") }
    try StandardStream.output.write(line.replacingMetric(with: metric) + "\n")
    broker.terminate()
    verify(broker.wait(until: Deadline(after: .seconds(5))) == .exited(0), "portd did not stop in order")
  }

  /// One finger that wanders. Each injection is answered when the view has seen it.
  private static func inject(on bootstrap: Bootstrap, _ time: Duration) throws -> Int {
    let start = Instant.now
    var sent = 0
    var next = start
    func send(_ phase: DigitizerEvent.Phase) throws {
      let point = HIDPoint(x: Double(sent % 500), y: 100)
      var event = HIDEvent.hand(fingers: [.finger(1, phase, at: point)])
      event.stamp(Instant.now.nanoseconds)
      let outcome = try bootstrap.perform(InjectEvent(event: event))
      verify(outcome.summary == .delivered, "event \(sent) was \(outcome.summary)")
      sent += 1
      next = next.advanced(by: pause)
      sleepUntil(next)
    }
    try send(.began)
    while start.duration(to: .now) < time { try send(.moved) }
    try send(.ended)
    return sent
  }

  static func client() throws {
    let application = try Application(name: "portbench", bootstrap: try .connect(), on: .current)
    let window = Window(frame: HIDRect(x: 0, y: 0, width: 512, height: 768))
    let view = Stopwatch(frame: HIDRect(x: 0, y: 0, width: 512, height: 768))
    window.addSubview(view)
    window.firstResponder = view
    try application.add(window)
    try StandardStream.output.write("ready\n")
    RunLoop.current.run()
  }

  private final class Stopwatch: View {
    private var samples = Samples()

    override func touchesBegan(_ event: TouchEvent) { note(event) }
    override func touchesMoved(_ event: TouchEvent) { note(event) }
    override func touchesEnded(_ event: TouchEvent) { note(event) }

    override func keyChanged(_ press: KeyPress) {
      try? StandardStream.output.write("\(samples.count)\n" + samples.line("", unit: "us"))
    }

    private func note(_ event: TouchEvent) {
      samples.add(Double(event.stamps.viewed - event.stamps.injected) / 1000)
    }
  }
}

extension String {
  fileprivate func replacingMetric(with name: String) -> String {
    "{\"metric\":\"\(name)\"" + dropFirst("{\"metric\":\"\"".count)
  }
}
