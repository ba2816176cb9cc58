import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct PortImageTests {
  private func image(_ random: inout SeededNumbers) -> PortImage {
    var image = PortImage()
    image.hadSenders = random.chance(50)
    image.acceptsAdoption = random.chance(50)
    image.noSendersSync = random.chance(50) ? random.number(0...9) : nil
    image.sendOnceNotices = random.number(0...9)
    image.queueLimit = random.number(0...1024)
    image.copyLimit = random.number(0...4096)
    image.hasKeeper = random.chance(30)
    for _ in 0..<random.number(0...6) {
      image.wires.append(
        PortImage.Wire(
          isSendOnce: random.chance(30), credit: CopyCredit(available: 5, owed: 3),
          powers: WirePowers(rawValue: UInt8(random.number(0...3))), payer: 0,
          lastStamp: Int64(bitPattern: random.next()), peerCookie: random.next()))
    }
    for wire in image.wires.indices where random.chance(50) {
      image.staged.append(
        PortImage.Staged(
          wire: wire, rank: Int64(bitPattern: random.next()),
          sender: random.chance(50) ? Credentials(processID: 7, userID: 8, groupID: 9) : nil,
          firstDescriptor: random.number(0...3), descriptors: random.number(0...3),
          descriptorsWereLost: random.chance(20), bytes: random.bytes(random.number(1...90))))
    }
    return image
  }

  private func decoded(_ bytes: [UInt8]) -> PortImage? { try? PortImage(decoding: bytes) }

  @Test func anImageComesOutAsItWentIn() {
    var random = seed("PortImageTests")
    for _ in 0..<500 {
      let image = image(&random)
      #expect(decoded(image.encoded()) == image)
    }
  }

  @Test func anImageCutOrGrownIsRefused() {
    var random = seed("PortImageTests")
    for _ in 0..<20 {
      let bytes = image(&random).encoded()
      for count in 0..<bytes.count { #expect(decoded(Array(bytes[..<count])) == nil) }
      #expect(decoded(bytes + [0]) == nil)
    }
  }

  @Test func eachWayOfBeingWrong() {
    var image = PortImage()
    image.wires = [PortImage.Wire(isSendOnce: false, payer: 0, lastStamp: 1, peerCookie: 2)]
    let packet = PortImage.Staged(
      wire: 0, rank: 1, sender: nil, firstDescriptor: 0, descriptors: 0, descriptorsWereLost: false, bytes: [1])
    image.staged = [packet]
    let bytes = image.encoded()
    #expect(decoded(bytes) == image)
    // Version, flags, reserved bytes, counts, an absurd limit, a sync that is not armed.
    for (offset, value) in [
      (0, 2), (1, 16), (2, 1), (3, 1), (4, 2), (7, 255), (8, 0), (8, 2), (11, 255), (15, 255), (27, 1), (16, 1),
      (35, 255), (36, 1),
      (63, 1),
      (64, 2), (65, 9), (66, 1), (67, 4), (68, 1), (71, 1), (88, 1), (92, 0), (92, 2), (95, 255), (116, 255),
      (118, 255), (122, 4), (123, 1),
      (121, 1),
      (127, 1),
    ] {
      var broken = bytes
      broken[offset] = UInt8(value)
      #expect(decoded(broken) == nil, "byte \(offset) = \(value)")
    }
    image.staged = [packet, packet]
    #expect(decoded(image.encoded()) == nil)
  }

  @Test func randomAndMutatedImagesNeverTrap() {
    var random = seed("PortImageTests")
    for _ in 0..<10_000 {
      var bytes = image(&random).encoded()
      for _ in 0..<random.number(1...4) { bytes[random.number(0...bytes.count - 1)] = random.bytes(1)[0] }
      _ = decoded(bytes)
      _ = decoded(random.bytes(random.number(0...200)))
    }
  }

  @Test func theMoversWordIsBelievedOfItself() {
    let user = Credentials(processID: 5, userID: 1000, groupID: 1000)
    let other = Credentials(processID: 6, userID: 1000, groupID: 1000)
    let root = Credentials(processID: 1, userID: 0, groupID: 0)
    #expect(MailboxState.believed(user, from: other) == user)
    #expect(MailboxState.believed(user, from: root) == user)
    #expect(MailboxState.believed(root, from: user) == nil)
    #expect(MailboxState.believed(Credentials(processID: 5, userID: 1000, groupID: 0), from: user) == nil)
    #expect(MailboxState.believed(user, from: nil) == nil && MailboxState.believed(nil, from: root) == nil)
  }
}
