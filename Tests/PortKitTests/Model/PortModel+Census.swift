extension PortModel {
  /// How many descriptors an actor has open when nothing is under way, without those that wake the owners of ports.
  func descriptors(of actor: Int, beside base: Int) -> ClosedRange<Int> {
    let here = Place.actor(actor)
    var count = base
    let own = ports.filter { $0.value.place == here }.keys
    for port in own {
      count += 1 + senders(of: port) + onces.values.count { $0.target == .port(port) }
    }
    count += rights.values.count { $0.place == here }
    count += onces.values.count { $0.place == here && $0.isWire }
    // The other ends of replies that left the wire of their call.
    count += onces.values.count { once in
      guard case .call(let call) = once.target, once.isWire else { return false }
      return calls[call]?.actor == actor && calls[call]?.ending == nil
    }
    let replies = onces.values.filter { $0.place == here && $0.end.map(isLeftBehind) ?? false }
    count += Set(replies.compactMap(\.end)).count
    // The port may have moved before it saw that the caller had died.
    let late = replies.count { !$0.isWire }
    return count...(count + late)
  }

  /// Of no wire that its port has here.
  private func isLeftBehind(_ end: End) -> Bool {
    guard let right = rights[end.right], right.place != .gone, let port = ports[right.port] else { return true }
    return !port.isAlive || port.generation != end.generation
  }

  /// Something waits to be received.
  var hasNews: Bool {
    ports.contains { handle, port in
      port.isAlive && (!port.queue.isEmpty || port.lostOnces > 0 || !port.ended.isEmpty || isNoSendersDue(handle))
    }
  }

  var unreceived: String { "\(ports.filter { !$0.value.queue.isEmpty })" }

  func summary(of actor: Int) -> String {
    let here = Place.actor(actor)
    let (own, held) = (ports.filter { $0.value.place == here }, rights.filter { $0.value.place == here })
    let senders = rights.filter { own[$0.value.port] != nil && $0.value.place != .gone }
    let places = Dictionary(grouping: senders.keys.sorted()) {
      "\(senders[$0].map { "\($0.port) at \($0.place)" } ?? "")"
    }
    return """
      ports \(own.mapValues { "\($0)" }), senders \(places), rights \(held.keys.sorted()), calls \(calls), \
      onces \(onces)
      """
  }

  /// At a quiescent point.
  mutating func forgetWhatIsOver() {
    rights = rights.filter { $0.value.place != .gone }
    let named = Set(rights.values.map(\.port))
    ports = ports.filter { $0.value.isAlive || named.contains($0.key) }
  }
}
