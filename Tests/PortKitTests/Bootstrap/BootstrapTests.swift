import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct BootstrapTests {
  private let name = try! ServiceName("org.example.echo")

  private func failure<T: ~Copyable>(_ body: () throws(BootstrapError) -> T) -> BootstrapError? {
    do throws(BootstrapError) {
      _ = try body()
      return nil
    } catch {
      return error
    }
  }

  @Test func namesBecomeRights() throws {
    let broker = try FakeBroker()
    try broker.start([.serve])
    do {
      let bootstrap = try Bootstrap.connect(to: broker.address)
      check(failure { () throws(BootstrapError) in try bootstrap.lookUp(name) } == .unknownService(name))
      check(
        failure { () throws(BootstrapError) in try bootstrap.lookUp(name, waitingUpTo: .milliseconds(1)) }
          == .timedOut(name))
      let port = try bootstrap.checkIn(name)
      check(try bootstrap.lookUp(name).post(1) == nil)
      check(port.next() == Received(id: 1))
      check(failure { () throws(BootstrapError) in try bootstrap.checkIn(name) } == .serviceActive(name))
      let other = try ServiceName("org.example.other")
      try bootstrap.register(other, try port.makeSendRight())
      check(try bootstrap.lookUp(other, waitingUpTo: nil).post(2) == nil)
      check(port.next() == Received(id: 2))
      check(try bootstrap.listServices().map(\.name) == [name.description, other.description])
    }
    broker.finish()
  }

  @Test func noBroker() throws {
    let broker = try FakeBroker()
    let path = broker.address.path
    let missing = failure { () throws(BootstrapError) in try Bootstrap.connect(to: broker.address) }
    check(missing == .notReachable(path: path, reason: "No such file or directory"))
    try broker.start([])
    broker.finish()
    let refused = failure { () throws(BootstrapError) in try Bootstrap.connect(to: broker.address) }
    check(refused == .notReachable(path: path, reason: "Connection refused"))
    let long = BrokerAddress(path: "/" + String(repeating: "x", count: 200))
    let tooLong = failure { () throws(BootstrapError) in try Bootstrap.connect(to: long) }
    check(tooLong == .notReachable(path: long.path, reason: "File name too long"))
  }

  @Test func answersThatMakeNoSense() throws {
    let status = { (number: UInt32) -> [UInt8] in
      var writer = MessageWriter()
      writer.write(number)
      return writer.bytes
    }
    let bodies: [([UInt8], BootstrapError)] = [
      ([], .protocolMismatch("message body ends at byte 0: 4 bytes expected at 0, 0 left")),
      (status(77), .protocolMismatch("status 77")),
      (status(BootstrapStatus.malformed.rawValue), .protocolMismatch("request refused as malformed")),
      (status(BootstrapStatus.invalidName.rawValue), .protocolMismatch("request refused as malformed")),
      (
        status(BootstrapStatus.limitReached.rawValue),
        .limitReached("too many names or waiting look-ups of this client")
      ),
      (status(BootstrapStatus.ok.rawValue), .port(.noSuchRight(index: 0))),
    ]
    for (body, error) in bodies {
      let broker = try FakeBroker()
      try broker.start([.answer(body)])
      do {
        let bootstrap = try Bootstrap.connect(to: broker.address)
        check(failure { () throws(BootstrapError) in try bootstrap.lookUp(name) } == error)
        if body.count == 4, body[0] == 77 {
          let listing = failure { () throws(BootstrapError) in try bootstrap.listServices() }
          check(listing == .protocolMismatch("status 77"))
        }
      }
      broker.finish()
    }
  }

  @Test func aBrokerThatDiesInTheMiddleIsLostAndTheNextRequestFindsTheNextOne() throws {
    let broker = try FakeBroker()
    try broker.start([.serve, .die, .serve])
    do {
      let first = try Bootstrap.connect(to: broker.address)
      let port = try first.checkIn(name)
      check(port.makeSendCount == 1)
    }
    do {
      let bootstrap = try Bootstrap.connect(to: broker.address)
      check(failure { () throws(BootstrapError) in try bootstrap.lookUp(name) } == .brokerLost)
      let next = failure { () throws(BootstrapError) in try bootstrap.lookUp(name) }
      check(next == .unknownService(name), "\(String(describing: next))")
    }
    broker.finish()
  }

  @Test func aBrokerThatLeavesInTheMiddleIsLost() throws {
    let broker = try FakeBroker()
    try broker.start([.leave])
    let bootstrap = try Bootstrap.connect(to: broker.address)
    check(failure { () throws(BootstrapError) in try bootstrap.lookUp(name) } == .brokerLost)
    broker.finish()
  }

  @Test func namesAreBackUpAfterARestart() throws {
    let broker = try FakeBroker()
    try broker.start([.serveThenDie(3)])
    let bootstrap = try Bootstrap.connect(to: broker.address)
    let port = try bootstrap.checkIn(name)
    let other = try ServiceName("org.example.other")
    try bootstrap.register(other, try port.makeSendRight())
    do { _ = try bootstrap.checkIn(try ServiceName("org.example.gone")) }
    broker.finish()
    let gone = failure { () throws(BootstrapError) in try bootstrap.lookUp(name) }
    check(gone == .notReachable(path: broker.address.path, reason: "Connection refused"))
    let before = broker.requests.count
    try broker.start([.serve, .serve])
    try bootstrap.reconnect()
    check(Set(broker.requests.dropFirst(before)) == ["checkIn \(name)", "register \(other)"])
    do {
      let client = try Bootstrap.connect(to: broker.address)
      bootstrap.dropDeadConnection()
      _ = client
    }
    check(try bootstrap.lookUp(name).post(3) == nil && port.next() == Received(id: 3))
    check(try bootstrap.lookUp(other).post(4) == nil && port.next() == Received(id: 4))
  }

  /// It accepts and closes, as a broker does whose client limit is reached: an error, not an endless new try.
  @Test func aBrokerThatClosesEachConnectionAtOnce() throws {
    let broker = try FakeBroker()
    try broker.start([.serveThenDie(2)] + [FakeBroker.Manner](repeating: .closeAtOnce, count: 40))
    let bootstrap = try Bootstrap.connect(to: broker.address)
    let port = try bootstrap.checkIn(name)
    check(port.makeSendCount == 1)
    try bootstrap.register(try ServiceName("org.example.other"), try port.makeSendRight())
    for _ in 0..<5 {
      let end = failure { () throws(BootstrapError) in try bootstrap.lookUp(name) }
      check(end == .brokerLost)
    }
  }

  @Test func theLossOfTheBrokerIsTold() throws {
    let broker = try FakeBroker()
    try broker.start([.serveThenDie(1)])
    let bootstrap = try Bootstrap.connect(to: broker.address)
    let port = try ReceiveRight()
    let watch = bootstrap.watchForLoss(from: port)
    check(watch != nil && port.waiting() == nil)
    // The request drops the connection; the watch keeps it until the word has come.
    _ = try? bootstrap.lookUp(name)
    check(port.next()?.notification == watch.map { .deadName($0.request) })
    bootstrap.dropDeadConnection()
    check(bootstrap.watchForLoss(from: port) == nil)
    check(!bootstrap.tell(Message(id: 1)))
    broker.finish()
  }

  /// Needs two users: only a super-user can make a socket that belongs to somebody else.
  @Test(.enabled(if: ProcessFacts.effectiveUser == 0, "only a super-user can listen as somebody else"))
  func aSocketOfAnotherUserIsNotTrusted() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory(prefix: "foreign")
      let address = BrokerAddress(path: directory.path + "/socket")
      check(RawProcess.openToAll(directory.path))
      check(becomeOrdinaryUser(effectiveOnly: true))
      let listener = try NamedSocket.listen(at: address.path)
      check(becomeSuperUser())
      // The one that asks is another ordinary user.
      check(RawProcess.openToAll(address.path) && becomeOrdinaryUser(number: 65533))
      do throws(BootstrapError) {
        _ = try Bootstrap.connect(to: address)
        Issue.record("trusted")
      } catch {
        check(error == .untrustedBroker(path: address.path, userID: 65534))
      }
      _ = consume listener
    }
  }
}
