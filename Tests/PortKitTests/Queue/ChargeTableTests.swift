import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct ChargeTableTests {
  /// The steps that were seen on one kernel.
  private static func charge(_ size: Int) -> Int {
    let steps = [(192, 768), (704, 1280), (1728, 2304), (3776, 4352), (7872, 8448), (16103, 16640)]
    for (end, charge) in steps where size <= end { return charge }
    return 16640 + (size - 16103 + 4086) / 4087 * 4096
  }

  @Test(arguments: [1, 2, 3]) func isRightForEverySizeAndSoonMeasuresNoMore(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    var table = ChargeTable()
    var measured = 0
    for step in 0..<60_000 {
      let size = step % 3 == 0 ? random.number(1...70_000) : random.number(32...4200)
      let charge = table.charge(of: size) { size in
        measured += 1
        return Self.charge(size)
      }
      check(charge == Self.charge(size))
    }
    check(measured < 1200 && table.count < 100, "\(measured) measured, \(table.count) kept")
  }

  @Test func whatCannotBeMeasuredIsNotKept() {
    var table = ChargeTable()
    check(table.charge(of: 100) { _ in nil } == nil)
    check(table.charge(of: 100) { _ in 768 } == 768)
  }

  /// The kernel's figures depend on nothing but the size.
  @Test func theKernelChargesByTheSizeAlone() throws {
    let pair = try PacketSocket.pair()
    var receiver = PacketReceiver()
    var random = SeededNumbers(seed: 7)
    try pair.first.setSendBuffer(bytes: 1 << 19)
    for _ in 0..<3000 {
      let size = random.number(32...70_000)
      let packet = PacketBuffer.take(capacity: size)
      guard try pair.first.send(packet, 0..<size) else { throw Errno.wouldBlock }
      check(try pair.first.unreadByPeer() == PacketCharges.charge(of: size))
      _ = try receiver.receive(from: pair.second)
    }
  }
}
