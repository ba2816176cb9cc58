import HIDKit
import LinuxSystem

@testable import portd

let clientA = ClientID(rawValue: 1)
let clientB = ClientID(rawValue: 2)
let moment = Instant(nanoseconds: 1_000_000)

func finger(
  _ identity: UInt32, _ phase: DigitizerEvent.Phase, _ x: Double, _ y: Double
) -> DigitizerEvent {
  .finger(identity, phase, at: HIDPoint(x: x, y: y))
}

func frame(_ fingers: DigitizerEvent...) -> HIDEvent { .hand(fingers: fingers) }

/// What a client learns of one contact or key, without the wrapping.
struct Told: Hashable, CustomStringConvertible {
  enum Change: Hashable {
    case touch(UInt32, DigitizerEvent.Phase, x: Double, y: Double)
    case key(HIDUsage, isDown: Bool, isRepeat: Bool)
  }

  var client: ClientID
  var window: WindowID
  var sender: UInt64 = 0
  var change: Change

  var description: String { "client \(client) window \(window) sender \(sender): \(change)" }
}

func told(_ client: ClientID, _ events: [WindowEvent]) -> [Told] {
  events.flatMap { item -> [Told] in
    func make(_ change: Told.Change) -> Told {
      Told(client: client, window: item.windowID, sender: item.event.senderID, change: change)
    }
    switch item.event.payload {
    case .keyboard(let key): return [make(.key(key.usage, isDown: key.isDown, isRepeat: key.isRepeat))]
    case .digitizer:
      return item.event.contacts.map { make(.touch($0.identity, $0.phase!, x: $0.x, y: $0.y)) }
    }
  }
}

func told(_ deliveries: [Delivery]) -> [Told] { deliveries.flatMap { told($0.client, $0.events) } }

/// Two windows side by side, of two clients: A has x 0..<100, B has x 100..<200.
struct SideBySide {
  var router = EventRouter(display: HIDSize(width: 300, height: 100))
  let a: WindowID
  let b: WindowID

  init() throws {
    a = try router.createWindow(
      client: clientA, frame: HIDRect(x: 0, y: 0, width: 100, height: 100), zOrder: 0, title: "a", created: moment)
    b = try router.createWindow(
      client: clientB, frame: HIDRect(x: 100, y: 0, width: 100, height: 100), zOrder: 0, title: "b", created: moment)
  }

  func atA(_ identity: UInt32, _ phase: DigitizerEvent.Phase, _ x: Double, _ y: Double, sender: UInt64 = 9) -> Told {
    Told(client: clientA, window: a, sender: sender, change: .touch(identity, phase, x: x, y: y))
  }

  func atB(_ identity: UInt32, _ phase: DigitizerEvent.Phase, _ x: Double, _ y: Double, sender: UInt64 = 9) -> Told {
    Told(client: clientB, window: b, sender: sender, change: .touch(identity, phase, x: x, y: y))
  }
}
