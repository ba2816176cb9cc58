import HIDKit
import LinuxSystem
import TestSupport
import Testing

@testable import portd

/// The router against an oracle: the same rules written down a second time, without tables, in the plainest way.
private struct Oracle {
  struct Pane {
    let id: WindowID
    let client: ClientID
    var frame: HIDRect
    var z: Int32
    var age: Int
  }

  struct Life {
    var pane: WindowID?
    var x: Double
    var y: Double
  }

  let display: HIDRect
  var panes: [Pane] = []
  var touches: [ContactKey: Life] = [:]
  var keys: [HeldKeyID: WindowID?] = [:]

  func pane(_ id: WindowID?) -> Pane? { panes.first { $0.id == id } }

  /// The window at a point, by comparing every pair.
  func hit(_ x: Double, _ y: Double) -> WindowID? {
    func covers(_ r: HIDRect) -> Bool { r.x <= x && x < r.x + r.width && r.y <= y && y < r.y + r.height }
    guard covers(display) else { return nil }
    let under = panes.filter { covers($0.frame) }
    return under.first { one in under.allSatisfy { $0.id == one.id || ($0.z, $0.age) < (one.z, one.age) } }?.id
  }

  func tell(_ pane: Pane, _ key: ContactKey, _ phase: DigitizerEvent.Phase, _ x: Double, _ y: Double) -> Told {
    Told(
      client: pane.client, window: pane.id, sender: key.sender,
      change: .touch(key.identity, phase, x: x - pane.frame.x, y: y - pane.frame.y))
  }

  mutating func touch(_ key: ContactKey, _ event: DigitizerEvent, _ room: Int) -> [Told] {
    let known = touches[key]
    func told(_ life: Life?, _ phase: DigitizerEvent.Phase, _ x: Double, _ y: Double) -> [Told] {
      pane(life?.pane).map { [tell($0, key, phase, x, y)] } ?? []
    }
    switch event.phase! {
    case .began:
      let cancelled = known.map { told($0, .cancelled, $0.x, $0.y) } ?? []
      touches[key] = nil
      guard touches.keys.count(where: { $0.sender == key.sender }) < room else { return cancelled }
      let life = Life(pane: hit(event.x, event.y), x: event.x, y: event.y)
      touches[key] = life
      return cancelled + told(life, .began, event.x, event.y)
    case .moved:
      guard let known else { return [] }
      (touches[key]!.x, touches[key]!.y) = (event.x, event.y)
      return told(known, .moved, event.x, event.y)
    case .ended, .cancelled:
      touches[key] = nil
      return told(known, event.phase!, event.x, event.y)
    }
  }

  mutating func press(_ id: HeldKeyID, _ event: KeyboardEvent) -> [Told] {
    func told(_ window: WindowID?, isRepeat: Bool) -> [Told] {
      pane(window).map {
        [
          Told(
            client: $0.client, window: $0.id, sender: id.sender,
            change: .key(id.usage, isDown: event.isDown, isRepeat: isRepeat))
        ]
      } ?? []
    }
    if let held = keys[id] {
      if !event.isDown { keys[id] = nil }
      return told(held, isRepeat: event.isDown)
    }
    guard event.isDown, !event.isRepeat else { return [] }
    let target = panes.max { $0.age < $1.age }?.id
    keys.updateValue(target, forKey: id)
    return told(target, isRepeat: false)
  }

  /// What those contacts and keys are told at their end.
  func endings(
    _ touch: (ContactKey, Life) -> Bool, _ key: (HeldKeyID, WindowID?) -> Bool
  ) -> [Told] {
    let cancels = touches.filter { touch($0.key, $0.value) }.flatMap { entry in
      pane(entry.value.pane).map { [tell($0, entry.key, .cancelled, entry.value.x, entry.value.y)] } ?? []
    }
    let ups = keys.filter { key($0.key, $0.value) }.flatMap { entry in
      pane(entry.value).map {
        [
          Told(
            client: $0.client, window: $0.id, sender: entry.key.sender,
            change: .key(entry.key.usage, isDown: false, isRepeat: false))
        ]
      } ?? []
    }
    return cancels + ups
  }
}

@Suite struct EventRouterModelTests {
  private static let phases: [DigitizerEvent.Phase] = [.began, .began, .moved, .moved, .ended, .cancelled]

  /// The same statements, in the same order for each contact and key; the order among different ones is not compared.
  private func expectSame(_ actual: [Told], _ expected: [Told], _ note: String) {
    struct Thread: Hashable {
      let client: ClientID
      let sender: UInt64
      let subject: UInt64
    }
    func threads(_ list: [Told]) -> [Thread: [Told]] {
      Dictionary(grouping: list) { item in
        switch item.change {
        case .touch(let identity, _, _, _): Thread(client: item.client, sender: item.sender, subject: UInt64(identity))
        case .key(let usage, _, _):
          Thread(client: item.client, sender: item.sender, subject: 1 << 40 | UInt64(usage.rawValue))
        }
      }
    }
    #expect(threads(actual) == threads(expected), "\(note)")
  }

  @Test(arguments: SeededNumbers.seeds)
  func routesAsTheOracleDoes(seed: UInt64) throws {
    var random = SeededNumbers(seed: seed)
    let size = HIDSize(width: 60, height: 40)
    var router = EventRouter(display: size)
    var oracle = Oracle(display: HIDRect(x: 0, y: 0, width: 60, height: 40))
    var statements = 0
    for step in 1...4000 {
      let note = "seed \(seed), step \(step)"
      let client = ClientID(rawValue: UInt32(random.number(1...4)))
      let sender = UInt64(random.number(1...3))
      let frame = HIDRect(
        x: Double(random.number(-10...50)), y: Double(random.number(-10...30)), width: Double(random.number(1...30)),
        height: Double(random.number(1...30)))
      let z = Int32(random.number(0...2))
      var actual: [Told] = []
      var expected: [Told] = []
      switch random.number(1...100) {
      case 1...6 where oracle.panes.count < 12:
        let id = try router.createWindow(client: client, frame: frame, zOrder: z, title: "", created: moment)
        oracle.panes.append(.init(id: id, client: client, frame: frame, z: z, age: step))
      case 7...10:
        guard let index = oracle.panes.indices.randomElement(using: &random) else { continue }
        try router.moveWindow(oracle.panes[index].id, of: oracle.panes[index].client, frame: frame, zOrder: z)
        (oracle.panes[index].frame, oracle.panes[index].z) = (frame, z)
      case 11...14:
        guard let pane = oracle.panes.randomElement(using: &random) else { continue }
        actual = told(try router.destroyWindow(pane.id, of: pane.client, at: moment))
        expected = oracle.endings({ $1.pane == pane.id }, { $1 == pane.id })
        oracle.panes.removeAll { $0.id == pane.id }
      case 15:
        router.removeClient(client)
        oracle.panes.removeAll { $0.client == client }
      case 16:
        actual = told(router.removeSender(sender, at: moment))
        expected = oracle.endings({ key, _ in key.sender == sender }, { id, _ in id.sender == sender })
        oracle.touches = oracle.touches.filter { $0.key.sender != sender }
        oracle.keys = oracle.keys.filter { $0.key.sender != sender }
      case 17...30:
        let usage = HIDUsage(rawValue: UInt16(random.number(4...8)))
        let key = KeyboardEvent(usage: usage, isDown: random.chance(60), isRepeat: random.chance(20))
        actual = told(router.route(HIDEvent(.keyboard(key)), from: sender, at: moment))
        expected = oracle.press(HeldKeyID(sender: sender, usagePage: 7, usage: usage), key)
      default:
        let fingers = (0..<random.number(1...6)).map { _ in
          finger(
            UInt32(random.number(1...8)), Self.phases.randomElement(using: &random)!,
            Double(random.number(-2...62)), Double(random.number(-2...42)))
        }
        let deliveries = router.route(.hand(fingers: fingers), from: sender, at: moment)
        #expect(Set(deliveries.map(\.client)).count == deliveries.count, "\(note)")
        actual = told(deliveries)
        for event in fingers {
          expected += oracle.touch(
            ContactKey(sender: sender, identity: event.identity), event, BrokerLimits.contactsPerSender)
        }
      }
      expectSame(actual, expected, note)
      #expect(router.checkInvariants() == [], "\(note)")
      statements += actual.count
    }
    #expect(statements > 1000, "seed \(seed)")
    for sender in UInt64(1)...3 { _ = router.removeSender(sender, at: moment) }
    for client in UInt32(1)...4 { router.removeClient(ClientID(rawValue: client)) }
    #expect(router.isEmpty, "seed \(seed)")
  }
}
