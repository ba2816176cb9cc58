import HIDKit
import ServiceKit
import TouchKit

/// One line for each event: for people, or as JSON for programs.
struct Printer {
  let client: String
  let isJSON: Bool
  private let console = Console.standard(program: "TouchPad")

  init(client: String, isJSON: Bool) {
    self.client = client
    self.isJSON = isJSON
  }

  private struct Point: Encodable {
    let x: Double
    let y: Double
  }

  private struct Line: Encodable {
    let client: String
    let what: String
    let touches: [Point]
    let injectedNs: Int64
    let brokerReadNs: Int64
    let brokerSentNs: Int64
    let receivedNs: Int64
    let drainedNs: Int64
    let viewedNs: Int64
  }

  private struct Note: Encodable {
    let client: String
    let note: String
  }

  func note(_ text: String) {
    if isJSON {
      console.data((try? JSONOutput.line(Note(client: client, note: text))) ?? "")
    } else {
      console.data("\(client): \(text)\n")
    }
  }

  func print(_ what: String, _ event: TouchEvent) {
    print(what, event.touches.map { $0.location(in: $0.view) }, event.stamps)
  }

  func print(_ what: String, _ points: [HIDPoint], _ stamps: HopStamps) {
    if isJSON {
      let line = Line(
        client: client, what: what, touches: points.map { Point(x: $0.x, y: $0.y) }, injectedNs: stamps.injected,
        brokerReadNs: stamps.brokerRead, brokerSentNs: stamps.brokerSent, receivedNs: stamps.received,
        drainedNs: stamps.drained, viewedNs: stamps.viewed)
      console.data((try? JSONOutput.line(line)) ?? "")
    } else {
      let places = points.map { "(\(Int($0.x.rounded())), \(Int($0.y.rounded())))" }.joined(separator: " ")
      // A cancellation that the library made itself has passed no station.
      let age = stamps.injected > 0 ? " after \((stamps.viewed - stamps.injected) / 1000) us" : ""
      console.data("\(client): \(what) \(places)\(age)\n")
    }
  }
}
