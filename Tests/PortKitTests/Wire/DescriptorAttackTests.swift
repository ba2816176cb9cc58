import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// Descriptors that were announced and did not come, came unannounced, or came when there was no room: none stays.
@Suite struct DescriptorAttackTests {
  private static func packet(kind: FrameKind, declared: Int) -> [UInt8] {
    var bytes = FrameHeader(kind: kind, id: 1, rights: declared).encoded()
    for index in 0..<declared { RightEntry(kind: .send, index: index).append(to: &bytes) }
    return bytes
  }

  @Test("T1: every count of descriptors against every declared one")
  func everyCount() async {
    await #expect(processExitsWith: .success) {
      let port = try ReceiveRight()
      let target = try ReceiveRight()
      let gift = try target.makeSendRight()
      let counter = try EventCounter()
      let before = openDescriptors()
      for arriving in 0...253 {
        for declared in [0, 1, 2, arriving - 1, arriving, arriving + 1, 253] where (0...253).contains(declared) {
          let isWire = (arriving + declared) % 2 == 0
          let number = isWire ? gift.end.socket.descriptor.number : counter.descriptor.number
          let right = try port.makeSendRight()
          let bytes = DescriptorAttackTests.packet(kind: .message, declared: declared)
          check(right.inject(bytes, descriptors: [CInt](repeating: number, count: arriving)))
          let isGood = arriving == declared && (isWire || arriving == 0)
          check((port.waiting() == Received(id: 1)) == isGood, "\(arriving) \(declared)")
          check(right.isDeadName == !isGood, "\(arriving) \(declared)")
        }
      }
      check(port.waiting() == nil)
      checkCensus(before)
    }
  }

  @Test("T1: 10 000 bad packets leave as many descriptors as there were")
  func tenThousandRounds() async {
    await #expect(processExitsWith: .success) {
      var random = seed("DescriptorAttackTests")
      let port = try ReceiveRight()
      let counter = try EventCounter()
      let numbers = [counter.descriptor.number, port.pollDescriptor]
      let before = openDescriptors()
      for _ in 0..<10_000 {
        let right = try port.makeSendRight()
        let kind = FrameKind.allCases.randomElement(using: &random)!
        let bytes = DescriptorAttackTests.packet(kind: kind, declared: random.number(0...3))
        let given = (0..<random.number(0...4)).map { _ in numbers.randomElement(using: &random)! }
        check(right.inject(bytes, descriptors: given))
        _ = port.waiting()
      }
      checkCensus(before)
    }
  }

  @Test("T1: packets full of descriptors for a receiver that has nearly none left", arguments: [0, 1, 2, 20, 252])
  func nearlyNoneLeft(room: Int) async {
    await #expect(processExitsWith: .success) { [room = room as Int] in
      let port = try ReceiveRight()
      let target = try ReceiveRight()
      let gift = try target.makeSendRight()
      let good = try port.makeSendRight()
      let bad = try port.makeSendRight()
      let filler = try DescriptorFiller(limit: 500, room: room)
      let before = openDescriptors()
      for round in 0..<50 as Range<Int32> {
        let bytes = DescriptorAttackTests.packet(kind: .message, declared: 253)
        let numbers = [CInt](repeating: gift.end.socket.descriptor.number, count: 253)
        // What is in flight counts for all processes of an ordinary user, other tests' too.
        let deadline = Deadline(after: .seconds(20))
        while !bad.inject(bytes, descriptors: numbers), !deadline.hasPassed {}
        check(good.post(round + 10) == nil)
        check(port.waiting() == Received(id: 1) && port.waiting() == Received(id: round + 10))
        checkCensus(before)
      }
      check(!bad.isDeadName && port.faults.isEmpty)
      filler.release(3)
    }
  }

  @Test("T12: after an operation that failed, every descriptor is where it was")
  func failuresChangeNothing() async {
    await #expect(processExitsWith: .success) {
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      let gone = try ReceiveRight().makeSendRight()
      var shortages = 0
      func fails(_ body: () throws(PortError) -> Void) {
        do throws(PortError) {
          try body()
        } catch {
          // No credit for a copy is no shortage; the test library may have let go of a descriptor of its own.
          if error != .timedOut { check(error == .descriptorShortage) }
          shortages += 1
        }
      }
      for room in 0...3 {
        let filler = try DescriptorFiller(limit: 200, room: room)
        let before = openDescriptors()
        for _ in 0..<20 {
          fails { () throws(PortError) in _ = try port.makeSendRight() }
          fails { () throws(PortError) in _ = try port.makeSendOnceRight() }
          fails { () throws(PortError) in _ = try right.copy(timeout: .zero) }
          fails { () throws(PortError) in _ = try ReceiveRight() }
          #expect(throws: PortError.self) { _ = try gone.copy() }
          check(gone.post(1) == .deadName)
          check(ending(gone.call(Message(id: 1), timeout: .seconds(5))) == .deadName)
          while port.waiting() != nil {}
          checkCensus(before)
        }
        filler.release(200)
      }
      check(shortages > 60)
      try setDescriptorLimit(1000)
      let large = [UInt8](repeating: 0, count: Limits.inlineBody + 1)
      let mail = right.fill()
      let before = openDescriptors()
      for _ in 0..<20 {
        var message = Message(id: 2)
        message.attach(try port.makeSendRight())
        message.attach(try port.makeSendOnceRight())
        message.setReply(try port.makeSendOnceRight())
        let refusal = error(of: right.send(message, timeout: .zero))
        check(refusal == .timedOut)
        check(error(of: right.send(Message(id: 3, body: large), timeout: .zero)) != nil)
        check(ending(right.call(Message(id: 4), timeout: .zero)) == .timedOut)
      }
      // The once rights that came back and were dropped have told their port.
      var once = 0
      var letters = 0
      while let next = port.waiting() {
        if next.notification == .sendOnce { once += 1 } else { letters += 1 }
      }
      check(once == 40 && letters == mail)
      checkCensus(before)
    }
  }
}
