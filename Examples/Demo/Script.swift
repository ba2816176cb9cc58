import FoundationEssentials
import LinuxSystem
import ServiceKit

/// What happens on the stage, and the accounts of it.
final class Script {
  private struct Injection: Decodable {
    struct Event: Decodable {
      let injectedNs: Int64
      let outcome: String
    }

    let events: [Event]
  }

  private let stage: Stage
  private var clients: [Client] = []
  private var injections: [(event: Injection.Event, receivers: [Client])] = []
  private var untold = 0

  init(_ stage: Stage) { self.stage = stage }

  func play() throws {
    let left = try Client("A", x: 0, on: stage)
    let right = try Client("B", x: 512, on: stage)
    clients = [left, right]
    stage.console.data("two windows: A at 0..511, B at 512..1023; times in us, hop by hop\n")
    try show("a tap into A", ["tap", "100", "200"], [left])
    try show("a tap into B", ["tap", "700", "200"], [right])
    try show("a swipe from A into B: A keeps it", ["swipe", "300", "300", "800", "300", "--steps", "8"], [left])
    try show("a pinch, one finger in each", ["pinch", "512", "400", "2", "--duration", "200ms"], [left, right])
    try show("a key to the focused client", ["key", "a"], [right])
    try killUnderFinger(right)
    try show("a tap into A after the death of B", ["tap", "100", "200"], [left])
  }

  private func show(_ title: String, _ arguments: [String], _ receivers: [Client]) throws {
    stage.console.data("\(title): portctl \(arguments.joined(separator: " "))\n")
    let tool = try stage.start("portctl", ["--json"] + arguments)
    try account(for: tool, receivers)
  }

  /// The finger stays down for a second; as soon as B has it, B is killed.
  private func killUnderFinger(_ victim: Client) throws {
    stage.console.data("B is killed with a finger on it: portctl swipe 700 300 900 300 --duration 1s\n")
    let tool = try stage.start("portctl", ["--json", "swipe", "700", "300", "900", "300", "--duration", "1s"])
    try victim.awaitNext("moved")
    victim.kill()
    stage.console.data("  B  killed\n")
    try account(for: tool, [victim])
  }

  /// Takes the tool's word for what it injected and waits until the receivers have told of what was delivered to them.
  private func account(for tool: ChildProcess, _ receivers: [Client]) throws {
    guard let line = tool.readLine(until: Deadline(after: .seconds(10))) else {
      throw CommandFailure(.failed, "portctl said nothing")
    }
    _ = tool.wait(until: Deadline(after: .seconds(5)))
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    for event in try decoder.decode(Injection.self, from: Data(line.utf8)).events {
      injections.append((event, receivers))
      if event.outcome != "delivered" { continue }
      for receiver in receivers where !receiver.follow(until: event.injectedNs) { untold += 1 }
    }
  }

  struct Verdict {
    let text: String
    let isGood: Bool
  }

  /// Three accounts must agree: the injector's, the broker's and the clients'.
  func settle() throws -> Verdict {
    let broker = stage.stopBroker()
    for client in clients { client.kill() }
    let delivered = count("delivered")
    let cancelled = count("cancelled")
    let lost = injections.count - delivered - cancelled + untold
    let accounts = "\(injections.count) injected = \(delivered) delivered + \(cancelled) cancelled"
    let text = "demo: \(accounts) with their client, \(lost) lost"
    let agrees = broker.contains("\(accounts) + 0 missed, 0 pending")
    if !agrees { stage.console.data("portd says otherwise: \(broker)\n") }
    return Verdict(text: text, isGood: agrees && lost == 0 && toldOnce() && cancelled > 0)
  }

  private func count(_ outcome: String) -> Int { injections.count { $0.event.outcome == outcome } }

  /// Each delivered event was seen once by each of its receivers, and by nobody else.
  private func toldOnce() -> Bool {
    injections.allSatisfy { injection in
      if injection.event.outcome != "delivered" { return true }
      return clients.allSatisfy { client in
        let times = client.seen.count { $0.injectedNs == injection.event.injectedNs }
        return times == (injection.receivers.contains { $0 === client } ? 1 : 0)
      }
    }
  }
}
