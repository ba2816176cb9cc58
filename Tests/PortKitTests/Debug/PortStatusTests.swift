import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct PortStatusTests {
  @Test func whatAPortHasAndOwes() throws {
    let port = try ReceiveRight()
    let fresh = PortStatus(
      makeSendCount: 0, sequenceNumber: 0, hasSenders: false, wireCount: 0, sendOnceCount: 0, stagedPacketCount: 0,
      queuedByteCount: 0, setCount: 0, waiterCount: 0, noSendersRequest: nil, isGuarded: false, isImmovable: false,
      faultCount: 0)
    check(try port.status() == fresh)
    let set = try PortSet()
    let rights = [RightHolder(try port.makeSendRight()), RightHolder(try port.makeSendRight())]
    let once = OnceBox(try port.makeSendOnceRight())
    try set.insert(port)
    for right in rights { check(right.withRight { $0.post(1) } == .some(nil)) }
    check(port.next() == Received(id: 1))
    try port.requestNoSendersNotification(sync: 2)
    var expected = fresh
    expected.makeSendCount = 2
    expected.sequenceNumber = 1
    expected.hasSenders = true
    expected.wireCount = 3
    expected.sendOnceCount = 1
    expected.stagedPacketCount = 1
    expected.setCount = 1
    expected.noSendersRequest = NoSendersRequest(target: port.id, sync: 2)
    check(try port.status() == expected)
    // Behind the packet in hand two more wait.
    for id in Int32(2)...3 { check(rights[1].withRight { $0.post(id) } == .some(nil)) }
    check(try port.status().queuedByteCount == 2 * FrameHeader.size)
    check(port.next() == Received(id: 1))
    // The next one is taken in hand by the look.
    expected.sequenceNumber = 2
    expected.queuedByteCount = FrameHeader.size
    check(try port.status() == expected)
    check(port.next() == Received(id: 2) && port.next() == Received(id: 3))
    check(rights[0].withRight { $0.post(1) } == .some(nil))
    // Mail of a right that is gone counts as the right; a wire that breaks the protocol is counted.
    for right in rights { right.drop() }
    _ = once.take()
    check(try port.status().hasSenders && port.status().wireCount == 1)
    check(port.next() == Received(id: 71, notification: .sendOnce) && port.next() == Received(id: 1))
    let bad = try port.makeSendRight()
    check(bad.inject([1, 2, 3]))
    check(try port.status().faultCount == 1 && !port.status().hasSenders)
  }
}
