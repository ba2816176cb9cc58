import FoundationEssentials
import LinuxSystem
import ServiceKit

/// One event as a client's view saw it, in nanoseconds of CLOCK_MONOTONIC.
struct SeenEvent: Decodable {
  let client: String
  let what: String
  let injectedNs: Int64
  let brokerReadNs: Int64
  let receivedNs: Int64
  let drainedNs: Int64
  let viewedNs: Int64

  /// The hops of the way with their times.
  var hops: String {
    let stations = [
      ("portd", brokerReadNs - injectedNs), ("Source1", receivedNs - brokerReadNs), ("Source0", drainedNs - receivedNs),
      ("view", viewedNs - drainedNs),
    ]
    let parts = stations.map { " -> \($0.0) \(Self.micro($0.1))" }.joined()
    return "inject\(parts)  = \(Self.micro(viewedNs - injectedNs)) us"
  }

  private static func micro(_ nanoseconds: Int64) -> String {
    let text = "\(nanoseconds / 1000)"
    return String(repeating: " ", count: max(0, 5 - text.count)) + text
  }
}

/// A TouchPad process and what it has told.
final class Client {
  let name: String
  private let process: ChildProcess
  private let console: Console
  private(set) var seen: [SeenEvent] = []

  init(_ name: String, x: Int, on stage: Stage) throws {
    self.name = name
    console = stage.console
    process = try stage.start("TouchPad", ["--name", name, "--x", "\(x)", "--size", "512x768", "--json"])
    guard let line = process.readLine(until: Deadline(after: .seconds(5))), line.contains("ready") else {
      throw CommandFailure(.failed, "client \(name) did not start")
    }
  }

  /// Prints what the client has told, until it has told of the event with this stamp. False when it did not in time.
  func follow(until stamp: Int64) -> Bool {
    while !seen.contains(where: { $0.injectedNs == stamp }) {
      guard readOne(until: Deadline(after: .seconds(5))) else { return false }
    }
    return true
  }

  /// Waits for the next event whose name begins so.
  func awaitNext(_ what: String) throws {
    let known = seen.count
    while !seen[known...].contains(where: { $0.what.hasPrefix(what) }) {
      guard readOne(until: Deadline(after: .seconds(5))) else {
        throw CommandFailure(.failed, "client \(name) saw no \(what)")
      }
    }
  }

  func kill() {
    process.kill()
    while readOne(until: Deadline(after: .seconds(5))) {}
    _ = process.wait(until: Deadline(after: .seconds(5)))
  }

  private func readOne(until deadline: Deadline) -> Bool {
    guard let line = process.readLine(until: deadline) else { return false }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let event = try? decoder.decode(SeenEvent.self, from: Data(line.utf8)) else { return true }
    seen.append(event)
    console.data("  \(event.client)  \(Self.padded(event.what, 14)) \(event.hops)\n")
    return true
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
