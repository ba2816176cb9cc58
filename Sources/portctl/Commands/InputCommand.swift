import HIDKit
import LinuxSystem
import PortKit
import ServiceKit

/// `tap`, `swipe`, `pinch` and `key`: plays a script of events, each at its time, and waits until the clients that got
/// them have dispatched them to their views.
struct InputCommand {
  private let arguments: ParsedArguments
  private let console: Console

  init(_ arguments: ParsedArguments, _ console: Console) {
    self.arguments = arguments
    self.console = console
  }

  private struct Result: Encodable {
    let verb: String
    var injected = 0
    var delivered = 0
    var cancelled = 0
    var missed = 0
    var events: [Event] = []

    /// One event with the stamp under which its receivers know it.
    struct Event: Encodable {
      let injectedNs: Int64
      let outcome: String
    }

    /// The events that were sent on: frames of touches, key strokes.
    var text: String {
      var text = "\(verb): \(injected) events, \(delivered) delivered"
      if cancelled > 0 { text += ", \(cancelled) cancelled with their client" }
      if missed > 0 { text += ", \(missed) hit nothing" }
      return text
    }
  }

  func run() throws {
    let scripts = try makeScripts()
    let broker = try Broker.connect(arguments)
    var result = Result(verb: arguments.command!)
    for (index, script) in scripts.enumerated() {
      if index > 0 { sleepUntil(Instant.now.advanced(by: pause)) }
      try play(script, on: broker, &result)
    }
    if arguments.isSet("json") {
      console.data(try JSONOutput.line(result))
    } else if !arguments.isSet("quiet") {
      console.data(result.text + "\n")
    }
    if result.cancelled > 0 { throw CommandFailure(.failed, "the client went away under the event") }
    if result.missed > 0 { throw CommandFailure(.nothingHit, "nothing takes input there") }
  }

  private func play(_ script: EventScript, on broker: Bootstrap, _ result: inout Result) throws {
    let start = Instant.now
    let timeout = arguments.duration("timeout")
    for step in script.steps {
      sleepUntil(start.advanced(by: .nanoseconds(step.offsetNanoseconds)))
      var event = step.event
      event.stamp(Instant.now.nanoseconds)
      let outcome = try inject(event, on: broker, timeout)
      result.injected += 1
      result.events.append(
        .init(injectedNs: event.timestampNanoseconds, outcome: outcome.summary.rawValue))
      switch outcome.summary {
      case .delivered: result.delivered += 1
      case .cancelled: result.cancelled += 1
      case .missed: result.missed += 1
      }
    }
  }

  private func inject(_ event: HIDEvent, on broker: Bootstrap, _ timeout: Duration?) throws -> InjectOutcome {
    do throws(EventSystemFailure) {
      return try broker.perform(InjectEvent(event: event), timeout: timeout)
    } catch {
      guard error == .refused(.offScreen) else { throw error }
      let points = event.contacts.filter { $0.phase == .began }.map(\.position.short)
      throw CommandFailure(.nothingHit, "point \(points.joined(separator: " or ")) is off the display")
    }
  }

  private var pause: Duration { arguments.command == "tap" ? arguments.duration("interval")! : .zero }

  private func makeScripts() throws -> [EventScript] {
    switch arguments.command {
    case "tap":
      let tap = try EventScript.tap(at: point("X", "Y"), hold: arguments.duration("hold")!)
      return Array(repeating: tap, count: arguments.integer("count")!)
    case "swipe":
      return [
        try .swipe(
          from: point("X1", "Y1"), to: point("X2", "Y2"), duration: arguments.duration("duration")!,
          steps: arguments.integer("steps"))
      ]
    case "pinch":
      return [
        try .pinch(
          center: point("X", "Y"), scale: arguments.number("SCALE")!, radius: arguments.number("radius")!,
          duration: arguments.duration("duration")!)
      ]
    default:
      return try arguments.texts("KEY").map { name in
        guard let usage = KeyNames.usage(name) else { throw CommandFailure(.usage, "no key is called '\(name)'") }
        return try .key(usage, hold: arguments.duration("hold")!)
      }
    }
  }

  private func point(_ x: String, _ y: String) -> HIDPoint {
    HIDPoint(x: arguments.number(x)!, y: arguments.number(y)!)
  }
}
