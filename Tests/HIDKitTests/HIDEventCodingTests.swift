import HIDKit
import PortKit
import TestSupport
import Testing

@Suite struct HIDEventCodingTests {
  private func encode(_ event: HIDEvent) -> [UInt8] {
    var writer = MessageWriter()
    event.write(to: &writer)
    return writer.bytes
  }

  private func decode(_ bytes: [UInt8]) throws(HIDEventError) -> (event: HIDEvent, rest: Int) {
    var reader = MessageReader(bytes.span)
    let event = try HIDEvent(reading: &reader)
    return (event, reader.remaining)
  }

  @Test(arguments: SeededNumbers.seeds)
  func eventsComeBackAsTheyWere(seed: UInt64) throws {
    var random = SeededNumbers(seed: seed)
    for round in 0..<200 {
      let event = random.event()
      let (copy, rest) = try decode(encode(event))
      #expect(copy == event, "seed \(seed), round \(round)")
      #expect(rest == 0)
    }
  }

  @Test func everyTruncationIsAnError() {
    for event in [
      HIDEvent.key(.a, isDown: true),
      .hand(fingers: [.finger(1, .began, at: HIDPoint(x: 1, y: 2)), .finger(2, .moved, at: HIDPoint(x: 3, y: 4))]),
    ] {
      let bytes = encode(event)
      for count in 0..<bytes.count {
        let error = #expect(throws: HIDEventError.self) { try decode(Array(bytes[..<count])) }
        guard case .reading(.tooShort) = error else {
          Issue.record("\(count) bytes gave \(String(describing: error))")
          continue
        }
      }
    }
  }

  @Test(arguments: SeededNumbers.seeds)
  func noBytesTrap(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    var decoded = 0
    for _ in 0..<3000 {
      var bytes: [UInt8]
      if random.chance(30) {
        bytes = random.bytes(random.number(0...200))
      } else {
        // Nearly right bytes get further into the reader than noise.
        bytes = encode(random.event(fingers: random.number(0...4)))
        for _ in 0..<random.number(0...3) { bytes[random.number(0...(bytes.count - 1))] = random.bytes(1)[0] }
      }
      guard let event = try? decode(bytes).event else { continue }
      decoded += 1
      #expect(throws: Never.self, "seed \(seed)") { try event.validate() }
      #expect((try? decode(encode(event)).event) == event, "seed \(seed)")
    }
    #expect(decoded > 100, "seed \(seed)")
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1.1e9, -1e300])
  func unusableNumbersAreRefused(number: Double) {
    for edit in [\DigitizerEvent.x, \.y, \.pressure, \.majorRadius, \.minorRadius] {
      var finger = DigitizerEvent.finger(1, .began, at: HIDPoint(x: 0, y: 0))
      finger[keyPath: edit] = 123_456.5
      let event = HIDEvent.hand(fingers: [finger])
      var bytes = encode(event)
      let good = bytesOf(123_456.5)
      let place = bytes.indices.first { Array(bytes[$0...].prefix(8)) == good }!
      bytes.replaceSubrange(place..<(place + 8), with: bytesOf(number))
      let error = #expect(throws: HIDEventError.self) { try decode(bytes) }
      if case .numberOutOfRange? = error {} else { Issue.record("\(String(describing: error))") }
      finger[keyPath: edit] = number
      #expect(throws: HIDEventError.self) { try HIDEvent.hand(fingers: [finger]).validate() }
    }
  }

  private func bytesOf(_ number: Double) -> [UInt8] {
    var writer = MessageWriter()
    writer.write(number)
    return writer.bytes
  }

  @Test func limitsHoldAtTheirEdges() throws {
    let finger = DigitizerEvent.finger(1, .moved, at: HIDPoint(x: HIDLimits.eventCoordinate, y: 0))
    let full = HIDEvent.hand(fingers: Array(repeating: finger, count: HIDLimits.childrenPerEvent))
    #expect(try decode(encode(full)).event == full)

    let over = HIDEvent.hand(fingers: Array(repeating: finger, count: HIDLimits.childrenPerEvent + 1))
    #expect(throws: HIDEventError.tooManyChildren(33)) { try over.validate() }
    var bytes = encode(.hand(fingers: []))
    bytes[bytes.count - 1] = UInt8(HIDLimits.childrenPerEvent + 1)
    #expect(throws: HIDEventError.tooManyChildren(33)) { try decode(bytes) }
  }

  @Test func onlyHandsHaveChildren() {
    let finger = HIDEvent(.digitizer(.finger(1, .moved, at: HIDPoint(x: 0, y: 0))))
    let key = HIDEvent.key(.a, isDown: true)
    var deep = HIDEvent.hand(fingers: [])
    deep.children = [.hand(fingers: [.finger(1, .moved, at: HIDPoint(x: 0, y: 0))])]
    #expect(throws: HIDEventError.tooDeep) { try deep.validate() }

    for (parent, child) in [(finger, finger), (key, key), (HIDEvent.hand(fingers: []), key)] {
      var event = parent
      event.children = [child]
      #expect(throws: HIDEventError.misplacedChild) { try event.validate() }
      // The same as bytes: a parent without children ends in their count, and a node follows without its version.
      let bytes: [UInt8] = Array(encode(parent).dropLast()) + [1] + Array(encode(child).dropFirst())
      #expect(throws: HIDEventError.misplacedChild) { try decode(bytes) }
    }
    let empty = encode(.hand(fingers: []))
    let inner: [UInt8] = Array(empty.dropFirst().dropLast()) + [1]
    let nested: [UInt8] = Array(empty.dropLast()) + [1] + inner + Array(encode(finger).dropFirst())
    #expect(throws: HIDEventError.tooDeep) { try decode(nested) }
  }

  @Test func unknownVersionsAndKindsAreRefused() {
    var bytes = encode(.key(.a, isDown: true))
    bytes[1] = 12
    #expect(throws: HIDEventError.reading(.invalidValue(12, offset: 1))) { try decode(bytes) }
    bytes[0] = 2
    #expect(throws: HIDEventError.unsupportedVersion(2)) { try decode(bytes) }
  }

  @Test func writingAnInvalidEventIsMisuse() async {
    await #expect(processExitsWith: .failure) {
      var writer = MessageWriter()
      HIDEvent.hand(fingers: [.finger(1, .began, at: HIDPoint(x: .nan, y: 0))]).write(to: &writer)
    }
  }
}
