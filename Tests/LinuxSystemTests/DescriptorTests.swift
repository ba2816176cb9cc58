import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite struct DescriptorTests {
  @Test func itIsClosedOnceWithItsOwner() async {
    await #expect(processExitsWith: .success) {
      let before = openDescriptors()
      do {
        let counter = try EventCounter()
        check(isOpen(counter.descriptor.number))
      }
      checkCensus(before)
      let kept: CInt
      do {
        let duplicate = try EventCounter().descriptor.duplicate()
        kept = duplicate.relinquish()
      }
      check(isOpen(kept))
      do { _ = Descriptor(owning: kept) }
      checkCensus(before)
    }
  }

  @Test func duplicatesStayAboveTheStandardStreamsAndAreNotInherited() async {
    await #expect(processExitsWith: .success) {
      let counter = try EventCounter()
      close(0)
      let copy = try counter.descriptor.duplicate()
      check(copy.number > 2)
      check(fcntl(copy.number, F_GETFD) & FD_CLOEXEC != 0)
      check(fcntl(counter.descriptor.number, F_GETFD) & FD_CLOEXEC != 0)
      counter.ring()
      check(try waitForReadiness(of: copy.number, .readable, until: Deadline(after: .zero)))
    }
  }

  @Test func aNegativeNumberIsNotADescriptor() async {
    await #expect(processExitsWith: .failure) { _ = Descriptor(owning: -1) }
  }

  @Test func untakenDescriptorsOfAPacketAreClosed() async {
    await #expect(processExitsWith: .success) {
      let pair = try PacketSocket.pair()
      let counter = try EventCounter()
      let before = openDescriptors()
      var taken: Descriptor?
      do {
        let numbers = [CInt](repeating: counter.descriptor.number, count: 3)
        check(try pair.first.send(head: [1], tail: nil, 0..<0, descriptors: numbers))
        var receiver = PacketReceiver()
        guard case .packet(_, let list?) = try receiver.receive(from: pair.second) else {
          Issue.record("no descriptors")
          return
        }
        check(list.count == 3)
        taken = list.take(1)
        let again = list.take(1) == nil
        let outside = list.take(3) == nil
        let negative = list.take(-1) == nil
        check(again && outside && negative)
      }
      let number = taken?.number ?? -1
      check(isOpen(number) && fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
      taken = nil
      checkCensus(before)
    }
  }
}
