import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// All operations in random order in a process of their own: typed errors, nothing hangs, nothing stays open.
@Suite struct ChaosTests {
  @Test func nothingLeaks() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      var errors: Set<String> = []
      do {
        let chaos = Chaos(seed("ChaosTests.nothingLeaks"))
        for _ in 0..<12_000 { chaos.step() }
        errors = chaos.errors
        chaos.clear()
      }
      check(errors.isSubset(of: ["deadName", "timedOut"]), "\(errors)")
      checkCensus(before)
    }
  }

  @Test func shortageIsATypedError() async {
    await #expect(processExitsWith: .success) {
      // A user of its own where that can be: what is in flight counts for all processes of a user.
      if !becomeOrdinaryUser(number: 62_001) { print("runs as the user that it is") }
      try setDescriptorLimit(90)
      let before = openDescriptors()
      var errors: Set<String> = []
      do {
        let chaos = Chaos(seed("ChaosTests.shortageIsATypedError"))
        for _ in 0..<12_000 { chaos.step() }
        errors = chaos.errors
        chaos.clear()
      }
      check(errors.contains("descriptorShortage"))
      check(
        errors.isSubset(of: ["deadName", "timedOut", "descriptorShortage", "rightLost", "tooManyCalls"]), "\(errors)")
      checkCensus(before)
      // With room again everything works. Under the low limit that would need all tests of this user to have room.
      try raiseDescriptorLimit()
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      check(try right.copy().post(3) == nil && port.next() == Received(id: 3))
    }
  }
}

/// A set of ports and rights that random steps change.
final class Chaos {
  private var random: SeededNumbers
  private var ports: [PortHolderBox] = []
  private var rights: [RightBox] = []
  private var onces: [OnceBox] = []
  /// The names of the errors that came up.
  private(set) var errors: Set<String> = []

  private final class PortHolderBox {
    let port: ReceiveRight
    init(_ port: consuming ReceiveRight) { self.port = port }
  }

  init(_ random: SeededNumbers) { self.random = random }

  func clear() {
    rights = []
    ports = []
    onces = []
  }

  func step() {
    do throws(PortError) {
      switch random.number(0...19) {
      case 0, 1: if ports.count < 8 { ports.append(PortHolderBox(try ReceiveRight())) }
      case 2, 3: if let port = anyPort { keep(try port.port.makeSendRight()) }
      case 4: if let port = anyPort { onces.append(OnceBox(try port.port.makeSendOnceRight())) }
      case 5, 6: if let right = anyRight { keep(try right.right.copy(timeout: .zero)) }
      case 7: if !rights.isEmpty { rights.remove(at: random.number(0...rights.count - 1)) }
      case 8: if random.chance(20), !ports.isEmpty { ports.remove(at: random.number(0...ports.count - 1)) }
      case 9: if let port = anyPort { try port.port.requestNoSendersNotification(sync: random.number(0...2)) }
      case 10, 11: try watch()
      case 12: if let right = anyRight { note(ending(right.right.call(try message(), timeout: .zero))) }
      case 13, 14, 15: if let right = anyRight { note(error(of: right.right.send(try message(), timeout: .zero))) }
      case 16: if let once = onces.popLast()?.take() { note(error(of: once.send(try message(), timeout: .zero))) }
      default: try receive()
      }
    } catch {
      note(error)
    }
  }

  private var anyPort: PortHolderBox? { ports.randomElement(using: &random) }
  private var anyRight: RightBox? { rights.randomElement(using: &random) }

  private func keep(_ right: consuming SendRight) {
    if rights.count < 60 { rights.append(RightBox(right)) }
  }

  private func watch() throws(PortError) {
    guard let right = anyRight, let port = anyPort else { return }
    _ = try right.right.requestDeadNameNotification(to: port.port)
  }

  private func message() throws(PortError) -> Message {
    var message = Message(id: 1, body: random.bytes(random.number(0...64)))
    for _ in 0..<random.number(0...3) {
      if random.chance(70), let right = anyRight {
        message.attach(try right.right.copy(timeout: .zero))
      } else if let once = onces.popLast()?.take() {
        message.attach(once)
      }
    }
    return message
  }

  private func receive() throws(PortError) {
    guard let port = anyPort else { return }
    var message = try port.port.receive(timeout: .zero)
    if let reply = message.takeReply(), random.chance(80) {
      if random.chance(30) {
        onces.append(OnceBox(reply))
      } else {
        note(error(of: reply.send(try self.message(), timeout: .zero)))
      }
    }
    for index in 0..<message.rightsCount where random.chance(60) {
      do throws(PortError) {
        keep(try message.takeSendRight(at: index))
      } catch {
        if case .wrongKindOfRight = error {
          onces.append(OnceBox(try message.takeSendOnceRight(at: index)))
        } else {
          note(error)
        }
      }
    }
    if onces.count > 40 { onces.removeFirst(20) }
  }

  private func note(_ error: PortError?) {
    switch error {
    case nil: return
    case .deadName: errors.insert("deadName")
    case .timedOut: errors.insert("timedOut")
    case .descriptorShortage: errors.insert("descriptorShortage")
    case .rightLost: errors.insert("rightLost")
    case .tooManyCalls: errors.insert("tooManyCalls")
    case .some(let other): errors.insert("\(other)")
    }
  }
}
