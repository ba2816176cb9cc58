import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Keepers that are short of descriptors or do not read. The port that they keep is never the worse for it.
@Suite struct KeptShortageTests {
  /// What the keeper lacks is, as the room grows: the control wire, the carrier, the wires in it, and nothing.
  @Test func aKeeperWithoutDescriptorsLetsGo() async {
    await #expect(processExitsWith: .success) {
      _ = try raiseDescriptorLimit()
      let before = openDescriptors()
      var kept = 0
      for room in 0...8 {
        let keeper = try ReceiveRight()
        let port = try ReceiveRight()
        let right = try port.makeSendRight()
        let other = try port.makeSendRight()
        check(right.post(1) == nil && other.post(2) == nil)
        // Nobody has read of it yet.
        try port.requestPortDestroyedNotification(to: try keeper.makeKeepingSendRight())
        let filler = try DescriptorFiller(limit: 400, room: room)
        check(keeper.waiting() == nil)
        let isKept = keeper.keptPorts == 1
        check(port.isKept == isKept, "\(room)")
        if isKept { kept += 1 }
        check(port.next() == Received(id: 1) && port.next() == Received(id: 2))
        filler.release(400)
        _ = try raiseDescriptorLimit()
        check(right.post(3) == nil)
        // A port that was let go may be kept again.
        if !isKept { try port.requestPortDestroyedNotification(to: try keeper.makeKeepingSendRight()) }
        check(keeper.waiting() == nil && keeper.keptPorts == 1 && port.isKept)
        drop(port)
        let heir = try keeper.nextOrphan()
        check(heir.next()?.id == 3 && heir.waiting() == nil)
      }
      check((1...8).contains(kept), "\(kept)")
      checkCensus(before)
    }
  }

  /// News that bring a descriptor are lost with it: the keeping ends, other kept ports stay.
  @Test func aKeeperThatRunsOutLater() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let keeper = try ReceiveRight()
        let keeping = try keeper.makeKeepingSendRight()
        let first = try ReceiveRight()
        let second = try ReceiveRight()
        let toFirst = try first.makeSendRight()
        try first.requestPortDestroyedNotification(to: keeping)
        try second.requestPortDestroyedNotification(to: keeping)
        check(keeper.waiting() == nil && keeper.keptPorts == 2)
        let toSecond = try second.makeSendRight()
        let filler = try DescriptorFiller(limit: 300, room: 0)
        check(keeper.waiting() == nil && keeper.keptPorts == 1 && !second.isKept && first.isKept)
        check(toSecond.post(1) == nil && second.next() == Received(id: 1))
        filler.release(300)
        _ = try raiseDescriptorLimit()
        drop(second)
        check(toSecond.isDeadName && keeper.waiting() == nil)
        check(toFirst.post(2) == nil)
        drop(first)
        check(try keeper.nextOrphan().next()?.id == 2)
        check(keeper.faults.count == 1)
      }
      checkCensus(before)
    }
  }

  /// The owner is gone and there is no room for its port: its holders hear that it is dead.
  @Test func anHeirWithoutRoom() async {
    await #expect(processExitsWith: .success) {
      let keeper = try ReceiveRight()
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      try port.requestPortDestroyedNotification(to: try keeper.makeKeepingSendRight())
      check(keeper.waiting() == nil && keeper.keptPorts == 1)
      let box = PortHolder(port)
      let filler = try DescriptorFiller(limit: 300, room: 2)
      _ = box.take()
      let last = try DescriptorFiller(limit: 300, room: 0)
      check(keeper.waiting() == nil && keeper.keptPorts == 0)
      check(right.isDeadName && keeper.faults.count == 1)
      last.release(300)
      filler.release(300)
      _ = try raiseDescriptorLimit()
      check(try keeper.makeSendRight().post(1) == nil && keeper.next() == Received(id: 1))
    }
  }

  /// A port whose keeper does not read, so that no word fits into the control wire any more.
  private final class Unheard {
    let keeper: ReceiveRight
    let holder: PortHolder
    let right: SendRight

    init() throws {
      let keeper = try ReceiveRight()
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      try port.requestPortDestroyedNotification(to: try keeper.makeKeepingSendRight())
      let onces = try (0..<3).map { _ in OnceBox(try port.makeSendOnceRight()) }
      check(keeper.waiting() == nil && port.isKept)
      var isHeard = true
      var rounds = 0
      while isHeard, rounds < 1000 {
        // Without descriptors, of which other tests may need many in flight.
        for limit in 1...100 { try port.setQueueLimit(limit) }
        let once = try port.makeSendOnceRight()
        isHeard = port.mailbox.state.withLock { $0.keeper?.isUpToDate ?? false }
        _ = consume once
        _ = port.waiting()
        rounds += 1
      }
      check(!isHeard)
      try port.setQueueLimit(5)
      // Their ends are told when there is room again.
      for once in onces { _ = once.take() }
      for _ in onces { check(port.next()?.id == 71) }
      check(port.waiting() == nil)
      self.keeper = keeper
      self.right = right
      holder = PortHolder(port)
    }
  }

  @Test func aKeeperThatDoesNotReadHoldsUpNobody() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let scene = try Unheard()
        let port = scene.holder.take()!
        check(port.isKept)
        // Mail goes on, in packets of one and of several.
        var batch = MessageBatch()
        for id in 1...3 as ClosedRange<Int32> { batch.append(Message(id: id)) }
        switch scene.right.send(batch) {
        case .sent: break
        case .returned(_, let error): Issue.record(error)
        }
        check(scene.right.post(4) == nil)
        for id in 1...4 as ClosedRange<Int32> { check(port.next()?.id == id) }
        // A copy that it cannot be told of comes in.
        let copy = try scene.right.copy()
        check(copy.post(5) == nil && port.next() == Received(id: 5) && port.stoppedWires == 0)
        // The keeper reads at last.
        while scene.keeper.keptPorts == 1, scene.keeper.waiting() == nil,
          try waitForReadiness(of: scene.keeper.pollDescriptor, .readable, until: Deadline(after: .zero))
        {}
        check(port.isKept && scene.keeper.faults.isEmpty)
        let later = try port.makeSendRight()
        check(later.post(6) == nil && copy.post(7) == nil && scene.right.post(8) == nil)
        drop(port)
        let heir = try scene.keeper.nextOrphan()
        check(heir.drain() == [6, 7, 8])
      }
      checkCensus(before)
    }
  }

  @Test func whatLiesInTheWiresSurvivesAnOwnerThatCouldNotTell() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let scene = try Unheard()
        let port = scene.holder.take()!
        var batch = MessageBatch()
        for id in 1...3 as ClosedRange<Int32> { batch.append(Message(id: id)) }
        _ = scene.right.send(batch)
        check(scene.right.post(4) == nil && scene.right.post(5) == nil)
        for id in 1...4 as ClosedRange<Int32> { check(port.next()?.id == id) }
        check(scene.right.post(6) == nil)
        drop(port)
        let heir = try scene.keeper.nextOrphan()
        check(heir.drain().filter { $0 != 71 } == [5, 6])
        check(scene.right.post(7) == nil && heir.next()?.id == 7)
      }
      checkCensus(before)
    }
  }
}
