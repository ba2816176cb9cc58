import LinuxSystem
import PortKit
import TestSupport
import Testing

/// Takes the model and real actors through one history and compares them at each step and at quiescent points.
final class HistoryDriver {
  private var generator: HistoryGenerator
  private var links: [HistoryLink] = []
  private let inProcesses: Bool
  private(set) var steps = 0
  private(set) var kills = 0
  private(set) var quiescentPoints = 0
  /// The first difference. Nothing after it means anything.
  private(set) var difference: String?
  /// What was done, for whoever looks for the reason of a difference.
  private var trace: [String] = []

  private static let shownSteps = 200

  init(_ random: SeededNumbers, inProcesses: Bool) throws {
    generator = HistoryGenerator(random)
    self.inProcesses = inProcesses
    for _ in 0..<HistoryGenerator.actors { links.append(try newLink()) }
  }

  private func newLink() throws -> HistoryLink { try inProcesses ? HistoryLink(Probe("history")) : HistoryLink() }

  func run(steps goal: Int) throws {
    while steps < goal, difference == nil {
      generator.model.epoch += 1
      switch generator.random.number(0...99) {
      case 0...39: try turn(of: generator.random.number(0...links.count - 1))
      case 40...59: try allAtOnce()
      case 60...94: try share()
      case 95...97: try quiesce()
      default: if inProcesses { try kill(generator.random.number(0...links.count - 1)) }
      }
      if let fault = generator.faults.first { difference = "the model does not follow itself: \(fault)" }
    }
    if difference == nil { try quiesce() }
    if difference == nil { try clear() }
  }

  /// Every object goes. What is still open then is a leak.
  private func clear() throws {
    for actor in links.indices where difference == nil {
      let ports = generator.ports(of: actor).map { HistoryCommand(.destroyPort, $0) }
      try perform(ports + generator.onces(of: actor).map { HistoryCommand(.dropOnce, $0) }, by: actor)
    }
    for actor in links.indices where difference == nil {
      let calls = generator.model.calls.filter { $0.value.actor == actor }.keys.sorted()
      let rights = generator.rights(of: actor).map { HistoryCommand(.dropRight, $0) }
      try perform(calls.map { HistoryCommand(.collect, $0) } + rights, by: actor)
    }
    if difference == nil, inProcesses { try compareDescriptors() }
  }

  func end() {
    for link in links { link.end() }
    links = []
  }

  // MARK: Batches

  private func turn(of actor: Int) throws {
    let batch = generator.batch(for: actor, isAlone: true)
    try links[actor].start(batch.map(\.command))
    try compare(batch, of: actor)
  }

  /// Steps of all actors side by side. None of them receives.
  private func allAtOnce() throws {
    var batches: [[HistoryGenerator.Step]] = []
    generator.model.isBusy = true
    for actor in links.indices { batches.append(generator.batch(for: actor, isAlone: false)) }
    for actor in links.indices { try links[actor].start(batches[actor].map(\.command)) }
    for actor in links.indices { try compare(batches[actor], of: actor) }
    generator.model.isBusy = false
  }

  private func compare(_ batch: [HistoryGenerator.Step], of actor: Int) throws {
    let results: [HistoryResult]
    do {
      results = try links[actor].finish().results
    } catch {
      let lines = trace.suffix(Self.shownSteps) + batch.map { "unanswered by \(actor): \($0.command.text)" }
      difference = "\(error) in\n" + lines.joined(separator: "\n")
      return
    }
    guard results.count == batch.count else { throw HistoryError.noAnswer("\(results.count) of \(batch.count)") }
    steps += batch.count
    for (step, result) in zip(batch, results) where difference == nil {
      let wrong: String? =
        if let predicted = step.predicted {
          result == predicted ? nil : "\(result) instead of \(predicted)"
        } else {
          generator.model.apply(step.command, by: actor, result: result)
        }
      trace.append("\(generator.model.epoch): \(actor): \(step.command.text) -> \(result)")
      if let wrong { difference = "\(wrong) in\n" + trace.suffix(Self.shownSteps).joined(separator: "\n") }
    }
  }

  private func perform(_ commands: [HistoryCommand], by actor: Int) throws {
    if commands.isEmpty { return }
    try links[actor].start(commands)
    try compare(commands.map { HistoryGenerator.Step(command: $0, predicted: nil) }, of: actor)
  }

  /// Gives one actor a right to a port of another, by way of this process.
  private func share() throws {
    let giver = generator.random.number(0...links.count - 1)
    let taker = generator.random.number(0...links.count - 1)
    guard giver != taker, let port = generator.ports(of: giver).randomElement(using: &generator.random),
      generator.model.senders(of: port) < 25
    else { return }
    let right = generator.fresh()
    let make = HistoryCommand(.makeRight, port, object: right)
    try links[giver].start([make, HistoryCommand(.export, right)])
    var answer = try links[giver].finish()
    let take = HistoryCommand(.importRight, right)
    try links[taker].start([take], bringing: answer.exported.take())
    let results = answer.results + (try links[taker].finish().results)
    steps += results.count
    if results != [.done, .done, .done] { difference = "sharing port \(port): \(results)" }
    for command in [make, take] {
      if let wrong = generator.model.apply(command, by: taker, result: .done) { difference = wrong }
    }
  }

  private func kill(_ actor: Int) throws {
    links[actor].end()
    generator.model.kill(actor: actor)
    links[actor] = try newLink()
    kills += 1
  }

  // MARK: Quiescent points

  /// Everything is received and every call that has ended is collected: model and reality are equal.
  private func quiesce() throws {
    quiescentPoints += 1
    var rounds = 0
    var hadNews = true
    // Once more when nothing is left: wires of a port that came with the last message may have ended on its way, and it
    // sees that when somebody looks.
    repeat {
      rounds += 1
      hadNews = generator.model.hasNews
      if rounds > 100 { difference = "mail that nobody can receive: \(generator.model.unreceived)" }
      for actor in links.indices where difference == nil {
        try perform(generator.ports(of: actor).map { HistoryCommand(.receive, $0, value: 1000) }, by: actor)
      }
    } while difference == nil && (rounds < 2 || hadNews || generator.model.hasNews)
    for actor in links.indices where difference == nil {
      let ended = generator.model.calls.filter { $0.value.actor == actor && $0.value.ending != nil }.keys.sorted()
      try perform(ended.map { HistoryCommand(.collect, $0) }, by: actor)
      try perform(generator.rights(of: actor).map { HistoryCommand(.askDead, $0) }, by: actor)
    }
    generator.model.forgetWhatIsOver()
    if difference == nil, inProcesses { try compareDescriptors() }
  }

  private func compareDescriptors() throws {
    for actor in links.indices {
      guard let process = links[actor].process else { continue }
      let base = links[actor].base
      let expected = generator.model.descriptors(of: actor, beside: base.others)
      let mostBells = base.bells + generator.ports(of: actor).count
      let deadline = Deadline(after: .seconds(5))
      var found = try HistoryCensus(of: process)
      // The library's own thread may still have to read that a call's reply comes another way.
      while !found.fits(expected, mostBells: mostBells), !deadline.hasPassed {
        found = try HistoryCensus(of: process)
      }
      if !found.fits(expected, mostBells: mostBells) {
        difference = "step \(steps), actor \(actor): \(found), not \(expected); \(try explain(actor, process))"
      }
    }
  }

  /// What the process has open, whose the other ends are, and whether its ports just had not looked yet.
  private func explain(_ actor: Int, _ process: ChildProcess) throws -> String {
    let kinds = try ProcessCensus.kinds(of: process)
    let peers = try SocketCensus(of: process).peers
    let processes = links.map { "\($0.process?.processID ?? 0)" }
    let summary = generator.model.summary(of: actor)
    try perform(generator.ports(of: actor).map { HistoryCommand(.receive, $0, value: 1000) }, by: actor)
    let later = try HistoryCensus(of: process)
    return """
      \(later) after another look; base \(links[actor].base); \(kinds); processes \(processes); \
      other ends \(peers.mapValues(\.count)), \(peers); \(summary)
      \(trace.suffix(Self.shownSteps).joined(separator: "\n"))
      """
  }
}
