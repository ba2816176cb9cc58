import HIDKit
import LinuxSystem
import TestSupport
import Testing

@testable import portd

/// Router, queues and ledger under random windows, frames, acknowledgements and deaths, seen from outside as clients
/// and injectors see them.
private struct World {
  /// What one client knows from its batches.
  struct Client {
    var windows: [WindowID] = []
    var received: UInt64 = 0
    var finished: UInt64 = 0
    var down: Set<ContactKey> = []
    var held: Set<HeldKeyID> = []
  }

  let seed: UInt64
  var random: SeededNumbers
  var dispatcher = EventDispatcher(display: HIDSize(width: 100, height: 100))
  var clients: [ClientID: Client] = [:]
  var injectors: Set<UInt64> = [1, 2]
  var lastID: UInt32 = 10
  var now = Instant(nanoseconds: 1)
  var open: [InjectionID: UInt64] = [:]
  var outcomes = InjectionLedger.Totals()
  /// Moves that no queue had room for.
  var dropped = 0

  init(seed: UInt64) {
    self.seed = seed
    random = SeededNumbers(seed: seed)
  }

  mutating func apply(_ actions: [EventDispatcher.Action]) {
    for action in actions {
      switch action {
      case .answer(let answer):
        #expect(open.removeValue(forKey: answer.injection) == answer.injector, "seed \(seed): answered twice")
        switch answer.outcome.summary {
        case .delivered: outcomes.delivered += 1
        case .cancelled: outcomes.cancelled += 1
        case .missed: outcomes.missed += 1
        }
      case .send(let id, let batch): receive(batch, as: id)
      }
    }
  }

  private mutating func receive(_ batch: ClientQueue.Batch, as id: ClientID) {
    guard var client = clients[id] else {
      Issue.record("seed \(seed): batch for client \(id), which is gone")
      return
    }
    #expect(batch.sequence == client.received + 1, "seed \(seed)")
    client.received = batch.sequence
    #expect(client.received - client.finished <= UInt64(BrokerLimits.batchesInFlight), "seed \(seed)")
    for item in told(id, batch.events) {
      switch item.change {
      case .touch(let identity, let phase, _, _):
        let key = ContactKey(sender: item.sender, identity: identity)
        switch phase {
        case .began: #expect(client.down.insert(key).inserted, "seed \(seed): \(item) began twice")
        case .moved: #expect(client.down.contains(key), "seed \(seed): \(item) after its end")
        case .ended, .cancelled: #expect(client.down.remove(key) != nil, "seed \(seed): \(item) ended twice")
        }
      case .key(let usage, let isDown, let isRepeat):
        let key = HeldKeyID(sender: item.sender, usagePage: 7, usage: usage)
        if isDown, !isRepeat {
          #expect(client.held.insert(key).inserted, "seed \(seed): \(item) down twice")
        } else {
          #expect(client.held.contains(key), "seed \(seed): \(item) without down")
          if !isDown { client.held.remove(key) }
        }
      }
    }
    clients[id] = client
  }

  mutating func step() throws {
    now.nanoseconds += 1
    switch random.number(1...1000) {
    case 1...15 where clients.count < 4:
      lastID += 1
      dispatcher.addClient(ClientID(rawValue: lastID))
      clients[ClientID(rawValue: lastID)] = Client()
    case 16...17: if let id = anyClient() { kill(id) }
    case 21: if let injector = injectors.sorted().randomElement(using: &random) { kill(injector) }
    case 23...30 where injectors.count < 16:
      lastID += 1
      injectors.insert(UInt64(lastID))
    case 31...70: try makeWindow()
    case 71...90: try changeWindow()
    case 91...110: try dropWindow()
    // Phases in which nobody acknowledges fill the queues; phases with many acknowledgements empty them.
    case 111...250: if now.nanoseconds % 6000 < 3000, let id = anyClient() { try acknowledge(id) }
    default: try inject()
    }
    if now.nanoseconds % 16 == 0 { #expect(dispatcher.checkInvariants() == [], "seed \(seed)") }
  }

  private mutating func anyClient() -> ClientID? { clients.keys.sorted().randomElement(using: &random) }

  private mutating func makeWindow() throws {
    guard let id = anyClient(), clients[id]!.windows.count < 4 else { return }
    let frame = HIDRect(
      x: Double(random.number(0...80)), y: Double(random.number(0...80)), width: Double(random.number(5...60)),
      height: Double(random.number(5...60)))
    do {
      let window = try dispatcher.createWindow(
        CreateWindow(frame: frame, zOrder: Int32(random.number(0...1))), by: id, at: moment)
      clients[id]!.windows.append(window)
    } catch { #expect(error == .limitReached) }
  }

  private mutating func changeWindow() throws {
    guard let id = anyClient(), let window = clients[id]!.windows.randomElement(using: &random) else { return }
    let frame = HIDRect(x: Double(random.number(0...90)), y: 0, width: 30, height: 90)
    try dispatcher.moveWindow(MoveWindow(windowID: window, frame: frame), by: id)
  }

  private mutating func dropWindow() throws {
    guard let id = anyClient(), let window = clients[id]!.windows.randomElement(using: &random) else { return }
    apply(try dispatcher.destroyWindow(DestroyWindow(windowID: window), by: id, at: now))
    clients[id]!.windows.removeAll { $0 == window }
  }

  private mutating func acknowledge(_ id: ClientID) throws {
    let sequence = UInt64.random(in: clients[id]!.finished...clients[id]!.received, using: &random)
    clients[id]!.finished = sequence
    apply(try dispatcher.finished(sequence, by: id))
  }

  private mutating func inject() throws {
    guard let sender = injectors.sorted().randomElement(using: &random) else { return }
    let event: HIDEvent
    if random.chance(15) {
      let usage = HIDUsage(rawValue: UInt16(random.number(4...6)))
      event = .key(usage, isDown: random.chance(60), isRepeat: random.chance(20))
    } else {
      event = .hand(
        fingers: (0..<random.number(1...4)).map { _ in
          finger(
            UInt32(random.number(1...5)), [.began, .moved, .moved, .ended, .cancelled].randomElement(using: &random)!,
            Double(random.number(0...99)), Double(random.number(0...99)))
        })
    }
    guard dispatcher.ledger.hasRoom(for: sender) else {
      #expect(throws: EventSystemStatus.limitReached) { try dispatcher.inject(event, from: sender, at: now) }
      return
    }
    let (id, actions) = try dispatcher.inject(event, from: sender, at: now)
    outcomes.injected += 1
    #expect(open.updateValue(sender, forKey: id) == nil, "seed \(seed): id used twice")
    apply(actions)
  }

  mutating func kill(_ id: ClientID) {
    dropped += dispatcher.queue(of: id)?.droppedCount ?? 0
    clients[id] = nil
    apply(dispatcher.removeClient(id))
  }

  mutating func kill(_ injector: UInt64) {
    injectors.remove(injector)
    open = open.filter { $0.value != injector }
    apply(dispatcher.removeSender(injector, at: now))
  }
}

@Suite struct EventDispatcherModelTests {
  @Test(arguments: SeededNumbers.seeds)
  func whatBeginsEndsAndAccountsBalance(seed: UInt64) throws {
    var world = World(seed: seed)
    for _ in 0..<12_000 { try world.step() }
    let totals = world.dispatcher.ledger.totals
    #expect(totals.delivered > 500 && totals.cancelled > 0 && totals.missed > 500, "seed \(seed): \(totals)")

    // Half of the clients die first, the others live on until the injectors are gone and everything is acknowledged.
    for id in world.clients.keys.sorted().prefix(world.clients.count / 2) { world.kill(id) }
    for injector in world.injectors.sorted() { world.kill(injector) }
    for id in world.clients.keys.sorted() {
      while let client = world.clients[id], client.finished < client.received {
        world.clients[id]!.finished = client.received
        world.apply(try world.dispatcher.finished(client.received, by: id))
      }
      #expect(world.clients[id]!.down.isEmpty, "seed \(seed): client \(id) has fingers down")
      #expect(world.clients[id]!.held.isEmpty, "seed \(seed): client \(id) has keys down")
    }
    #expect(world.dispatcher.ledger.pendingCount == 0, "seed \(seed)")
    #expect(world.open.isEmpty, "seed \(seed)")
    for id in world.clients.keys.sorted() { world.kill(id) }
    #expect(world.dispatcher.isEmpty, "seed \(seed)")
    let end = world.dispatcher.ledger.totals
    #expect(end.injected == end.delivered + end.cancelled + end.missed, "seed \(seed): \(end)")
    #expect(end.injected == world.outcomes.injected, "seed \(seed)")
    // The queues were full at times: otherwise the rules for that were not tried.
    #expect(world.dropped > 0 && world.dispatcher.router.counts.downsRefused > 0, "seed \(seed): \(world.dropped)")
  }
}
