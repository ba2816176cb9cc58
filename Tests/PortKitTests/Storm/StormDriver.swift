import LinuxSystem
import PortKit
import TestSupport

/// Takes processes through rounds in which some are killed, and compares what the others say.
final class StormDriver {
  private static let actors = 4
  private static let steps: UInt32 = 100

  private var random: SeededNumbers
  private var links: [StormLink] = []
  private var lastTag: UInt32 = 0
  private var figures: [Int] = []
  private(set) var rounds = 0
  private(set) var kills = 0
  private(set) var messages = 0
  private(set) var counts = StormCounts()
  private(set) var notices = 0
  private(set) var ports = 0
  private(set) var movedPorts = 0
  /// What is wrong. Nothing after it means anything.
  private(set) var faults: [String] = []

  init(_ random: SeededNumbers) throws {
    self.random = random
    for _ in 0..<Self.actors { links.append(try newLink()) }
    for link in links { for index in links.indices { try link.open(index, of: links[index]) } }
  }

  private func newLink() throws -> StormLink {
    lastTag += 1
    return try StormLink(tag: lastTag)
  }

  func run(rounds goal: Int) throws {
    // What is open before the first storm and after it differs by what the library opens once.
    try round(victims: [])
    while rounds < goal, faults.isEmpty {
      try replaceTheDead()
      if faults.isEmpty { try checkDescriptors() }
      let count = [0, 1, 1, 1, 2][random.number(0...4)]
      try round(victims: Set(links.indices.shuffled(using: &random).prefix(count)))
    }
  }

  func end() { for link in links { link.end() } }

  // MARK: One round

  private func round(victims: Set<Int>) throws {
    for index in links.indices {
      var writer = MessageWriter()
      let isVictim = victims.contains(index)
      StormOrder(
        seed: random.next(), steps: Self.steps, point: isVictim ? UInt32(random.number(1...220)) : 0,
        killsItself: random.chance(50)
      ).write(to: &writer)
      try links[index].order(StormMail.begin, writer)
    }
    // Victims first: the test kills them when they say so.
    let order = links.indices.sorted { victims.contains($0) && !victims.contains($1) }
    for index in order { _ = links[index].answer(StormMail.done) }
    for index in order where links[index].isAlive { try links[index].order(StormMail.settle) }
    for index in order { _ = links[index].answer(StormMail.settled) }
    // All that anybody handed on was sent by now, so it comes before this order.
    for index in order where links[index].isAlive { try links[index].order(StormMail.finish) }
    var reports: [StormReport] = []
    for index in order where links[index].isAlive {
      if let report = try report(of: links[index]) { reports.append(report) }
    }
    rounds += 1
    compare(reports)
    for link in links { faults += link.faults }
  }

  private func report(of link: StormLink) throws -> StormReport? {
    var message = link.answer(StormMail.report)
    if message == nil, link.isAlive {
      // Whatever it has, to see what is missing.
      try link.order(StormMail.tell)
      message = link.answer(StormMail.report)
    }
    guard let message else { return nil }
    var reader = MessageReader(message.body)
    return try StormReport(&reader)
  }

  private func compare(_ reports: [StormReport]) {
    var ports: [UInt64: StormRecord] = [:]
    for report in reports {
      counts += report.counts
      for port in report.ports {
        if ports.updateValue(port, forKey: port.id) != nil { faults.append("port \(port.id) is in two places") }
      }
    }
    for port in ports.values { examine(port) }
    for report in reports {
      for right in report.dropped {
        guard let got = ports[right.port]?.count(of: right) else { continue }
        if got != right.count { faults.append("right \(right.id): \(got) of \(right.count) messages came") }
        messages += Int(got)
      }
      for right in report.given {
        guard let got = ports[right.port]?.count(of: right) else { continue }
        if got < right.count { faults.append("right \(right.id): \(got) of \(right.count) messages and more came") }
      }
    }
  }

  private func examine(_ port: StormRecord) {
    ports += 1
    if port.moves > 0 { movedPorts += 1 }
    notices += Int(port.notices)
    if !port.hasNoSenders { faults.append("port \(port.id), moved \(port.moves) times: no-senders is missing") }
    let words = port.oncesSeen.count + Int(port.notices)
    if words != Int(port.oncesMade) {
      faults.append("port \(port.id): \(words) words of \(port.oncesMade) send-once rights")
    }
  }

  // MARK: Between the rounds

  private func replaceTheDead() throws {
    for index in links.indices where !links[index].isAlive {
      kills += 1
      links[index] = try newLink()
      try links[index].open(index, of: links[index])
      for other in links.indices where other != index && links[other].isAlive {
        try links[other].open(index, of: links[index])
        try links[index].open(other, of: links[other])
      }
    }
  }

  /// Everybody knows everybody and has nothing else: the figure is the same each time.
  private func checkDescriptors() throws {
    for link in links {
      let deadline = Deadline(after: .seconds(5))
      var found = try ProcessCensus.descriptors(of: link.process)
      if figures.isEmpty { figures = [found] }
      while found > figures[0], !deadline.hasPassed { found = try ProcessCensus.descriptors(of: link.process) }
      if found > figures[0] { faults.append("\(found) descriptors instead of \(figures[0])") }
    }
  }
}

extension StormRecord {
  fileprivate func count(of right: StormName) -> UInt32 { received[right.id, default: 0] }
}
