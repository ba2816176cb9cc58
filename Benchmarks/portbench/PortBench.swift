// Measures PortKit in the protocol of the comparison of event loops and message systems:
//
//   portbench METRIC BUDGET_MS
//
// measures for about that time, verifies what arrives, prints one line of JSON and ends with 0; with 77 for a metric
// that it does not have, with anything else when something was wrong.
//
//   portbench wires
//
// prints a table for people: what operations cost on a port with many wires.
import LinuxSystem

@main struct PortBench {
  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      switch words.first {
      case "--serve": try RoundTrip.serve(at: words[1])
      case "--pour": try OneWay.pour(Array(words.dropFirst()))
      case "--pad": try TwoHops.client()
      case "--hold": try WireCosts.hold(at: words[1])
      case "wires": try WireCosts.printTable()
      default: try measure(words)
      }
    } catch {
      fail("\(error)")
    }
  }

  private static func measure(_ words: [String]) throws {
    guard words.count >= 2, let budget = Int64(words[1]), budget > 0 else {
      fail("usage: portbench METRIC BUDGET_MS, or portbench wires")
    }
    let metric = words[0]
    let time = Duration.milliseconds(budget)
    switch metric {
    case "rpc_rtt_64B": try RoundTrip.measure(metric, bytes: 64, time)
    case "rpc_rtt_4K": try RoundTrip.measure(metric, bytes: 4096, time)
    case "oneway_64B": try OneWay.measure(metric, bytes: 64, time)
    case "loop_wake": LoopMetrics.wake(metric, time)
    case "loop_turn": LoopMetrics.turn(metric, time)
    case "hop2_lat_1k": try TwoHops.measure(metric, time)
    default: endProcess(77)
    }
  }
}

func fail(_ text: String) -> Never {
  try? StandardStream.error.write("portbench: \(text)\n")
  endProcess(1)
}

/// A check that stays in release builds.
func verify(_ condition: Bool, _ what: @autoclosure () -> String) {
  if !condition { fail("wrong: \(what())") }
}
