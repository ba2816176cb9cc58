import LinuxSystem
import TestSupport
import Testing

@testable import portd

@Suite struct NameTableTests {
  private let one = SessionID(rawValue: 1)
  private let two = SessionID(rawValue: 2)

  private func request(_ number: Int) -> RequestID { RequestID(rawValue: UInt64(number)) }
  private func service(_ number: Int) -> ServiceID { ServiceID(rawValue: UInt64(number)) }
  private func at(_ moment: Int64) -> Instant { Instant(nanoseconds: moment) }

  @Test func aNameIsFoundFromCheckInUntilItsPortDies() {
    var table = NameTable()
    #expect(table.handle(.lookUp("a", two, request(1))) == [.reply(request(1), .unknownService)])
    #expect(table.handle(.checkIn("a", service(1), one, request(2))) == [.reply(request(2), .ok)])
    #expect(table.handle(.lookUp("a", two, request(3))) == [.found(request(3), service(1))])
    #expect(table.owner(of: "a") == one)
    #expect(table.handle(.portDied(service(1))) == [.release(service(1))])
    #expect(table.handle(.lookUp("a", two, request(4))) == [.reply(request(4), .unknownService)])
    #expect(table.isEmpty)
  }

  @Test func aNameWhosePortLivesIsActive() {
    var table = NameTable()
    _ = table.handle(.register("a", service(1), one, request(1)))
    for session in [one, two] {
      #expect(table.handle(.register("a", service(2), session, request(2))) == [.reply(request(2), .serviceActive)])
      #expect(table.handle(.checkIn("a", service(3), session, request(3))) == [.reply(request(3), .serviceActive)])
    }
    #expect(table.service(named: "a") == service(1))
    #expect(table.handle(.portDied(service(2))) == [])
    #expect(table.service(named: "a") == service(1))
    _ = table.handle(.portDied(service(1)))
    #expect(table.handle(.checkIn("a", service(4), two, request(4))) == [.reply(request(4), .ok)])
  }

  @Test func onlyTheOwnerUnregisters() {
    var table = NameTable()
    #expect(table.handle(.unregister("a", one, request(1))) == [.reply(request(1), .unknownService)])
    _ = table.handle(.register("a", service(1), one, request(2)))
    #expect(table.handle(.unregister("a", two, request(3))) == [.reply(request(3), .notPrivileged)])
    #expect(table.handle(.unregister("a", one, request(4))) == [.reply(request(4), .ok), .release(service(1))])
    #expect(table.isEmpty)
    #expect(table.handle(.portDied(service(1))) == [])
  }

  @Test func aNameOutlivesItsSessionWhileItsPortLives() {
    var table = NameTable()
    _ = table.handle(.checkIn("a", service(1), one, request(1)))
    #expect(table.handle(.sessionEnded(one)) == [])
    #expect(table.handle(.lookUp("a", two, request(2))) == [.found(request(2), service(1))])
    #expect(table.handle(.portDied(service(1))) == [.release(service(1))])
    #expect(table.isEmpty)
  }

  @Test func waitersAreServedInTheirOrderWhenTheNameAppears() {
    var table = NameTable()
    for (number, session) in [(1, two), (2, one), (3, two)] {
      let deadline = at(Int64(100 - number))
      #expect(table.handle(.lookUpWaiting("a", session, request(number), deadline: deadline)) == [])
    }
    _ = table.handle(.lookUpWaiting("b", one, request(4), deadline: .distantFuture))
    #expect(
      table.handle(.checkIn("a", service(1), one, request(5))) == [
        .reply(request(5), .ok), .found(request(1), service(1)), .found(request(2), service(1)),
        .found(request(3), service(1)),
      ])
    #expect(table.waiterCount == 1)
    #expect(table.handle(.timePassed(at(1000))) == [])
    #expect(
      table.handle(.lookUpWaiting("a", one, request(6), deadline: at(1))) == [.found(request(6), service(1))])
    #expect(table.checkInvariants() == [])
  }

  @Test func waitersTimeOutAtTheirDeadlines() {
    var table = NameTable()
    #expect(table.nextDeadline == nil)
    for (number, deadline) in [(1, 30), (2, 10), (3, 20), (4, 20)] {
      _ = table.handle(.lookUpWaiting("n\(number)", one, request(number), deadline: at(Int64(deadline))))
    }
    _ = table.handle(.lookUpWaiting("never", one, request(5), deadline: .distantFuture))
    #expect(table.nextDeadline == at(10))
    #expect(table.handle(.timePassed(at(9))) == [])
    #expect(
      table.handle(.timePassed(at(20))) == [
        .reply(request(2), .timedOut), .reply(request(3), .timedOut), .reply(request(4), .timedOut),
      ])
    #expect(table.nextDeadline == at(30))
    #expect(table.handle(.timePassed(at(30))) == [.reply(request(1), .timedOut)])
    #expect(table.nextDeadline == nil)
    #expect(table.waiterCount == 1)
    // A name that comes later finds nobody who has timed out.
    #expect(table.handle(.checkIn("n1", service(1), two, request(6))) == [.reply(request(6), .ok)])
  }

  @Test func waitersEndWithTheirSession() {
    var table = NameTable()
    _ = table.handle(.lookUpWaiting("a", one, request(1), deadline: at(10)))
    _ = table.handle(.lookUpWaiting("a", two, request(2), deadline: at(20)))
    #expect(table.handle(.sessionEnded(one)) == [])
    #expect(table.nextDeadline == at(20))
    #expect(
      table.handle(.checkIn("a", service(1), one, request(3))) == [
        .reply(request(3), .ok), .found(request(2), service(1)),
      ])
    #expect(table.checkInvariants() == [])
  }

  @Test func namesOfOneSessionHaveALimit() {
    var table = NameTable()
    let limit = BrokerLimits.namesPerSession
    for number in 1...limit {
      #expect(
        table.handle(.register("n\(number)", service(number), one, request(number))) == [.reply(request(number), .ok)])
    }
    let over = RequestID(rawValue: 999)
    #expect(table.handle(.checkIn("x", service(900), one, over)) == [.reply(over, .limitReached)])
    #expect(table.handle(.checkIn("x", service(901), two, over)) == [.reply(over, .ok)])
    // The limit counts living names; the session's end does not give room, a dead port does.
    _ = table.handle(.sessionEnded(one))
    #expect(table.handle(.checkIn("y", service(902), one, over)) == [.reply(over, .limitReached)])
    _ = table.handle(.portDied(service(1)))
    #expect(table.handle(.checkIn("y", service(903), one, over)) == [.reply(over, .ok)])
    #expect(table.checkInvariants() == [])
  }

  @Test func namesInAllHaveALimit() {
    var table = NameTable()
    for number in 0..<BrokerLimits.names {
      let session = SessionID(rawValue: UInt64(number / BrokerLimits.namesPerSession))
      #expect(table.handle(.register("n\(number)", service(number), session, request(0))) == [.reply(request(0), .ok)])
    }
    let last = SessionID(rawValue: 100_000)
    let result = table.handle(.register("over", service(99_999), last, request(0)))
    #expect(result == [.reply(request(0), .limitReached)])
  }

  @Test func waitersOfASessionForANameAndInAllHaveLimits() {
    var table = NameTable()
    let mine = BrokerLimits.waitersPerSession
    for number in 1...mine {
      #expect(table.handle(.lookUpWaiting("n\(number)", one, request(number), deadline: at(5))) == [])
    }
    let over = request(0)
    #expect(table.handle(.lookUpWaiting("z", one, over, deadline: at(5))) == [.reply(over, .limitReached)])
    _ = table.handle(.sessionEnded(one))

    for number in 0..<BrokerLimits.waitersPerName {
      let session = SessionID(rawValue: UInt64(10 + number))
      #expect(table.handle(.lookUpWaiting("a", session, request(1000 + number), deadline: at(5))) == [])
    }
    #expect(table.handle(.lookUpWaiting("a", two, over, deadline: at(5))) == [.reply(over, .limitReached)])

    for number in table.waiterCount..<BrokerLimits.waiters {
      let session = SessionID(rawValue: UInt64(1000 + number / mine))
      #expect(table.handle(.lookUpWaiting("m\(number)", session, request(10_000 + number), deadline: at(5))) == [])
    }
    #expect(table.handle(.lookUpWaiting("free", two, over, deadline: at(5))) == [.reply(over, .limitReached)])
    #expect(table.checkInvariants() == [])
    #expect(table.handle(.timePassed(at(5))).count == BrokerLimits.waiters)
    #expect(table.isEmpty)
  }

  /// Random events: every request is answered at most once, and every waiter that its session did not take along
  /// exactly once; at the end nothing is left.
  @Test(arguments: SeededNumbers.seeds)
  func randomEventsLeaveNothingBehind(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    var table = NameTable()
    var answered: Set<RequestID> = []
    var asked: [RequestID: SessionID] = [:]
    var lost: Set<RequestID> = []
    var live: Set<ServiceID> = []
    var now: Int64 = 0
    func apply(_ event: NameTable.Event) {
      for action in table.handle(event) {
        switch action {
        case .found(let request, let service):
          #expect(live.contains(service), "seed \(seed)")
          #expect(answered.insert(request).inserted && !lost.contains(request), "seed \(seed)")
        case .reply(let request, let status):
          #expect(answered.insert(request).inserted && !lost.contains(request), "seed \(seed)")
          if case .checkIn(_, let service, _, _) = event, status == .ok { live.insert(service) }
        case .release(let service): #expect(live.remove(service) != nil, "seed \(seed)")
        }
      }
      #expect(table.checkInvariants() == [], "seed \(seed)")
    }
    for step in 1...3000 {
      let name = "n\(random.number(0...15))"
      let session = SessionID(rawValue: UInt64(random.number(0...9)))
      let request = RequestID(rawValue: UInt64(step))
      switch random.number(0...9) {
      case 0...2:
        // Known as live before the call, since waiters are told in it.
        let service = ServiceID(rawValue: UInt64(step))
        if table.service(named: name) == nil { live.insert(service) }
        apply(.checkIn(name, service, session, request))
        if table.service(named: name) != service { live.remove(service) }
      case 3: apply(.lookUp(name, session, request))
      case 4, 5:
        asked[request] = session
        apply(
          .lookUpWaiting(name, session, request, deadline: Instant(nanoseconds: now + Int64(random.number(0...50)))))
      case 6: apply(.unregister(name, session, request))
      case 7: if let service = live.randomElement(using: &random) { apply(.portDied(service)) }
      case 8:
        apply(.sessionEnded(session))
        lost.formUnion(asked.filter { $0.value == session && !answered.contains($0.key) }.keys)
      default:
        now += Int64(random.number(0...30))
        apply(.timePassed(Instant(nanoseconds: now)))
      }
    }
    for service in live { apply(.portDied(service)) }
    apply(.timePassed(.distantFuture))
    #expect(table.isEmpty, "seed \(seed)")
    #expect(asked.keys.allSatisfy { answered.contains($0) != lost.contains($0) }, "seed \(seed)")
    #expect(asked.count > 300 && lost.count > 10, "seed \(seed)")
  }
}
