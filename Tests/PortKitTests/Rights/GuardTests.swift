import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct GuardTests {
  @Test("C10: only the guard's value destroys a guarded port")
  func aGuardedPort() throws {
    let port = try ReceiveRight(guard: 7)
    let right = try port.makeSendRight()
    check(refusal { () throws(PortError) in try port.destroy() } == .guarded)
    check(refusal { () throws(PortError) in try port.destroy(guard: 8) } == .wrongGuard)
    check(refusal { () throws(PortError) in try port.setGuard(9) } == .guarded)
    check(refusal { () throws(PortError) in try port.unguard(9) } == .wrongGuard)
    check(try port.status().isGuarded)
    check(right.post(1) == nil && port.next() == Received(id: 1))
    try port.destroy(guard: 7)
    check(right.isDeadName)
  }

  @Test func aGuardCanBeTakenOff() throws {
    let port = try ReceiveRight()
    check(refusal { () throws(PortError) in try port.destroy(guard: 1) } == .wrongGuard)
    check(refusal { () throws(PortError) in try port.unguard(1) } == .wrongGuard)
    try port.setGuard(1)
    try port.unguard(1)
    check(try !port.status().isGuarded)
    try port.destroy()
  }

  @Test func anImmovablePortStays() throws {
    let port = try ReceiveRight(guard: 0, immovable: true)
    check(refusal { () throws(PortError) in _ = try port.transfer() } == .guarded)
    check(try port.status().isImmovable)
    try port.unguard(0)
    let heir = try port.transfer()
    try heir.setGuard(2)
    let last = try heir.transfer()
    check(refusal { () throws(PortError) in try last.destroy() } == .guarded)
    try last.destroy(guard: 2)
  }

  @Test func anImmovablePortComesBackInItsMessage() throws {
    let way = try ReceiveRight()
    let toWay = try way.makeSendRight()
    func refused(_ port: consuming ReceiveRight) throws -> ReceiveRight? {
      var message = Message(id: 1)
      message.attach(port)
      guard case .returned(var back, let error) = toWay.send(message) else { return nil }
      check(error == .guarded)
      return try back.takeReceiveRight(at: 0)
    }
    let port = try ReceiveRight(guard: 3, immovable: true)
    let right = try port.makeSendRight()
    guard let back = try refused(port) else {
      Issue.record("an immovable port was sent")
      return
    }
    check(right.post(1) == nil && back.next() == Received(id: 1))
    try back.destroy(guard: 3)
    check(way.waiting() == nil)
  }

  #if DEBUG
    @Test func droppingAGuardedRightStopsADebugBuild() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = try ReceiveRight(guard: 4711)
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("guarded by 4711"))
    }
  #else
    @Test func droppingAGuardedRightDestroysThePort() throws {
      let right = try Self.rightOfADroppedPort()
      check(right.isDeadName)
    }

    private static func rightOfADroppedPort() throws -> SendRight {
      let port = try ReceiveRight(guard: 4711)
      return try port.makeSendRight()
    }
  #endif
}
