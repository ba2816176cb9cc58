import FoundationEssentials
import HIDKit
import PortKit
import TestSupport

/// One line of `portctl windows --json`.
struct WindowLine: Decodable, Hashable {
  let window: UInt32
  let client: UInt32
  let name: String
  let pid: Int32
  let x: Double
  let y: Double
  let width: Double
  let height: Double
  let zOrder: Int32
  let focused: Bool
  let title: String
}

/// What `portctl --json` says of an input command.
struct InputLine: Decodable, Hashable {
  struct Event: Decodable, Hashable {
    let injectedNs: Int64
    let outcome: String
  }

  let verb: String
  let injected: Int
  let delivered: Int
  let cancelled: Int
  let missed: Int
  let events: [Event]
}

/// The last word of a broker: what became of everything that was injected.
struct Accounts: Hashable {
  let injected: Int
  let delivered: Int
  let cancelled: Int
  let missed: Int
  let pending: Int

  /// Nil when the line is another one.
  init?(_ line: String) {
    guard line.hasPrefix("portd: stopped; ") else { return nil }
    let numbers = line.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
    guard numbers.count == 5 else { return nil }
    (injected, delivered, cancelled, missed, pending) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
  }

  var balance: Bool { injected == delivered + cancelled + missed && pending == 0 }
}

func decode<Value: Decodable>(_ type: Value.Type, _ line: String) throws -> Value {
  let decoder = JSONDecoder()
  decoder.keyDecodingStrategy = .convertFromSnakeCase
  return try decoder.decode(type, from: Data(line.utf8))
}

extension BrokerStage {
  /// From front to back, as the tool lists them.
  func windows() throws -> [WindowLine] {
    try portctl("windows", "--json").lines.map { try decode(WindowLine.self, $0) }
  }

  /// Titles from front to back; the focused one has a star.
  func stacking() throws -> [String] {
    try bootstrap().perform(ListWindows(), timeout: .seconds(5)).windows.map { $0.title + ($0.isFocused ? "*" : "") }
  }

  func inject(_ contacts: DigitizerEvent...) throws -> InjectOutcome {
    try bootstrap().perform(InjectEvent(event: .hand(fingers: contacts)), timeout: .seconds(10))
  }
}
