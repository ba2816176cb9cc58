import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct KeptStateTests {
  private func wire(payer: Int, stamp: Int64 = 0) -> PortImage.Wire {
    PortImage.Wire(isSendOnce: false, payer: payer, lastStamp: stamp, peerCookie: 0)
  }

  private func state(_ wires: [PortImage.Wire], staged: [PortImage.Staged] = []) -> KeptState {
    var image = PortImage()
    (image.wires, image.staged) = (wires, staged)
    var state = KeptState()
    state.replace(by: image, isLast: false)
    return state
  }

  private func packet(of wire: Int) -> PortImage.Staged {
    PortImage.Staged(
      wire: wire, rank: 1, sender: nil, firstDescriptor: 0, descriptors: 0, descriptorsWereLost: false, bytes: [1])
  }

  private static let news: [KeepNews] = [
    .image(isLast: true), .image(isLast: false), .removed(3, isNotice: true), .removed(0, isNotice: false),
    .progress(4, KeptState.Progress(stamp: -5, frames: 6)), .settings(PortImage()),
    .added(9, PortImage.Wire(isSendOnce: true, powers: .keeps, payer: 7, lastStamp: 8, peerCookie: 11)),
  ]

  @Test(arguments: news) func newsComeOutAsTheyWentIn(_ news: KeepNews) throws {
    let bytes = news.encoded()
    #expect(try KeepNews(decoding: bytes) == news)
    for count in bytes.indices { #expect((try? KeepNews(decoding: Array(bytes[..<count]))) == nil) }
    #expect((try? KeepNews(decoding: bytes + [0])) == nil)
    for (offset, value) in [(0, 2), (1, 0), (1, 6), (2, 1), (3, 1)] as [(Int, UInt8)] {
      var broken = bytes
      broken[offset] = value
      #expect((try? KeepNews(decoding: broken)) == nil, "byte \(offset) = \(value)")
    }
  }

  @Test func randomNewsNeverTrap() {
    var random = seed("KeptStateTests")
    var state = state([wire(payer: 0)])
    for _ in 0..<10_000 {
      var bytes = Self.news[random.number(0...Self.news.count - 1)].encoded()
      bytes[random.number(0...bytes.count - 1)] = random.bytes(1)[0]
      if let news = try? KeepNews(decoding: bytes) { _ = state.apply(news) }
      _ = try? KeepNews(decoding: random.bytes(random.number(0...80)))
    }
    _ = state.legacy()
  }

  @Test func nothingIsBelievedBeforeAnImage() {
    var state = KeptState()
    check(!state.apply(.settings(PortImage())) && !state.apply(.added(0, wire(payer: 0))))
  }

  @Test func newsThatDoNotFit() {
    var state = state([wire(payer: 0)])
    check(!state.apply(.added(0, wire(payer: 0))))
    check(!state.apply(.removed(1, isNotice: false)))
    check(!state.apply(.progress(1, KeptState.Progress(stamp: 1, frames: 1))))
    check(!state.apply(.image(isLast: false)))
  }

  @Test func placesCloseUpAndPayersLiveOn() {
    var state = state([wire(payer: 0), wire(payer: 0), wire(payer: 0), wire(payer: 3)])
    check(state.apply(.added(4, wire(payer: 0))))
    check(state.apply(.removed(0, isNotice: true)))
    let legacy = state.legacy()
    #expect(legacy.numbers == [1, 2, 3, 4])
    #expect(legacy.image.wires.map(\.payer) == [0, 0, 2, 0])
    #expect(legacy.mayComeAgain == 3)
    #expect(legacy.image.sendOnceNotices == 1)
  }

  @Test func deliveredMailIsSkippedAndGoesWithItsWire() {
    var state = state([wire(payer: 0, stamp: 7), wire(payer: 1, stamp: 8)], staged: [packet(of: 0), packet(of: 1)])
    let progress = KeptState.Progress(stamp: 9, frames: 2)
    check(state.apply(.progress(1, progress)))
    check(state.apply(.removed(0, isNotice: false)))
    let legacy = state.legacy()
    #expect(legacy.skips == [0: progress])
    #expect(legacy.image.staged == [packet(of: 0)])
  }

  @Test func noMoreWiresThanTheLimit() {
    var state = state([])
    for number in 0..<UInt32(Limits.keptWires) { check(state.apply(.added(number, wire(payer: Int(number))))) }
    check(!state.apply(.added(UInt32(Limits.keptWires), wire(payer: 0))))
  }
}
