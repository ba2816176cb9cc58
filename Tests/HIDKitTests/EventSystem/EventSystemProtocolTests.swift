import HIDKit
import PortKit
import TestSupport
import Testing

/// Every message of the protocol goes through the same checks: round trip, truncation at each length, foreign versions,
/// bytes behind the end, and arbitrary bytes.
@Suite struct EventSystemProtocolTests {
  private func check<Value: EventSystemValue>(_ value: Value, seed: UInt64) {
    let body = value.makeBody()
    #expect((try? Value(body: body.span)) == value, "seed \(seed)")
    for count in 0..<body.count {
      let cut = Array(body[..<count])
      #expect(throws: EventSystemError.self, "seed \(seed), \(count) bytes") { try Value(body: cut.span) }
    }
    let longer = body + [0]
    #expect(throws: EventSystemError.reading(.trailingBytes(count: 1))) { try Value(body: longer.span) }
    let newer = [EventSystemProtocol.version + 1] + body.dropFirst()
    #expect(throws: EventSystemError.unsupportedVersion(2)) { try Value(body: newer.span) }
  }

  @Test(arguments: SeededNumbers.seeds)
  func valuesComeBackAsTheyWereAndTruncationsThrow(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    for _ in 0..<10 {
      check(OpenEventSystem(clientName: random.text()), seed: seed)
      let size = HIDSize(width: random.real(1000), height: random.real(1000))
      check(OpenEventSystem.Answer(displaySize: size, clientID: ClientID(rawValue: 7)), seed: seed)
      check(CreateWindow(frame: random.rect(), zOrder: -3, title: random.text()), seed: seed)
      check(CreateWindow.Answer(windowID: WindowID(rawValue: .max)), seed: seed)
      check(DestroyWindow(windowID: WindowID(rawValue: 1)), seed: seed)
      let window = WindowID(rawValue: UInt32(random.number(0...100)))
      let frame = random.chance(50) ? random.rect() : nil
      check(MoveWindow(windowID: window, frame: frame, zOrder: random.chance(50) ? 5 : nil), seed: seed)
      check(InjectEvent(event: random.event(bound: 1e6, fingers: random.number(0...3))), seed: seed)
      check(InjectOutcome(delivered: 1, cancelled: .max, missed: 3), seed: seed)
      check(EventsFinished(sequence: UInt64.random(in: 0...UInt64.max, using: &random)), seed: seed)
      check(ListWindows(), seed: seed)
      check(ListWindows.Answer(windows: (0..<random.number(0...3)).map { _ in info(&random) }), seed: seed)
      check(
        HIDEvents(
          sequence: 1, readNanoseconds: -5, deliveryNanoseconds: .max,
          events: (0..<random.number(0...2)).map { _ in
            WindowEvent(windowID: WindowID(rawValue: 9), event: random.event(fingers: 2))
          }), seed: seed)
      check(CreateWindow.Reply.success(.init(windowID: WindowID(rawValue: 3))), seed: seed)
      check(CreateWindow.Reply.failure(.limitReached), seed: seed)
      check(DestroyWindow.Reply.success(.init()), seed: seed)
    }
  }

  private func info(_ random: inout SeededNumbers) -> WindowInfo {
    WindowInfo(
      windowID: WindowID(rawValue: 1), clientID: ClientID(rawValue: 2), clientName: random.text(),
      processID: Int32(random.number(1...99_999)), frame: random.rect(), zOrder: Int32(random.number(-9...9)),
      title: random.text(), isFocused: random.chance(50))
  }

  @Test(arguments: SeededNumbers.seeds)
  func noBytesTrap(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    for _ in 0..<2000 {
      let body = [EventSystemProtocol.version] + random.bytes(random.number(0...120))
      readAll(body)
      var near = HIDEvents(
        sequence: 1, readNanoseconds: 1, deliveryNanoseconds: 2,
        events: [WindowEvent(windowID: WindowID(rawValue: 9), event: random.event(fingers: 2))]
      ).makeBody()
      near[random.number(0...(near.count - 1))] = random.bytes(1)[0]
      readAll(near)
    }
  }

  /// Whatever can be read can be written again.
  private func readAll(_ body: [UInt8]) {
    func read<Value: EventSystemValue>(_ type: Value.Type) {
      guard let value = try? Value(body: body.span) else { return }
      let copy = value.makeBody()
      #expect((try? Value(body: copy.span)) == value)
    }
    read(OpenEventSystem.self)
    read(OpenEventSystem.Reply.self)
    read(CreateWindow.self)
    read(CreateWindow.Reply.self)
    read(DestroyWindow.self)
    read(MoveWindow.self)
    read(InjectEvent.self)
    read(InjectEvent.Reply.self)
    read(EventsFinished.self)
    read(ListWindows.Reply.self)
    read(HIDEvents.self)
  }

  @Test func idsStandInTheirRangeAndRepliesDoNotClash() {
    let ids = EventSystemMessageID.allCases.map(\.rawValue)
    let replies = EventSystemMessageID.allCases.map(\.replyID)
    #expect(ids.allSatisfy { (21_000..<21_100).contains($0) })
    #expect(replies.allSatisfy { (21_100..<21_200).contains($0) })
    #expect(Set(ids + replies).count == 16)
  }

  @Test func textsHaveALimit() throws {
    let longest = String(repeating: "é", count: HIDLimits.textBytes / 2)
    let body = OpenEventSystem(clientName: longest).makeBody()
    #expect(try OpenEventSystem(body: body.span).clientName == longest)
    var writer = MessageWriter()
    writer.write(EventSystemProtocol.version)
    writer.write(longest + "x")
    let bytes = writer.bytes
    #expect(throws: EventSystemError.textTooLong(bytes: 129)) { try OpenEventSystem(body: bytes.span) }
  }

  @Test(arguments: [
    HIDRect(x: .nan, y: 0, width: 1, height: 1), HIDRect(x: 0, y: .infinity, width: 1, height: 1),
    HIDRect(x: 1.1e6, y: 0, width: 1, height: 1), HIDRect(x: 0, y: 0, width: 0, height: 1),
    HIDRect(x: 0, y: 0, width: 1, height: -1),
  ])
  func impossibleFramesAreRefused(frame: HIDRect) {
    let create = CreateWindow(frame: frame).makeBody()
    #expect(throws: EventSystemError.self) { try CreateWindow(body: create.span) }
    let move = MoveWindow(windowID: WindowID(rawValue: 1), frame: frame).makeBody()
    #expect(throws: EventSystemError.self) { try MoveWindow(body: move.span) }
  }

  @Test func injectedPointsStayNearTheDisplay() throws {
    func body(_ x: Double) -> [UInt8] {
      InjectEvent(event: .hand(fingers: [.finger(1, .began, at: HIDPoint(x: x, y: 0))])).makeBody()
    }
    let near = body(1e6)
    #expect(throws: Never.self) { try InjectEvent(body: near.span) }
    let far = body(-1.5e6)
    #expect(throws: EventSystemError.coordinateOutOfRange(-1.5e6)) { try InjectEvent(body: far.span) }
  }

  @Test func theLargestBodiesTravelInline() throws {
    var events: [WindowEvent] = []
    let finger = DigitizerEvent.finger(1, .moved, at: HIDPoint(x: 0, y: 0))
    while events.count < HIDLimits.eventsPerDelivery {
      events.append(WindowEvent(windowID: WindowID(rawValue: 1), event: HIDEvent(.digitizer(finger))))
    }
    let largest = HIDEvents(sequence: 1, readNanoseconds: 0, deliveryNanoseconds: 0, events: events)
    let body = largest.makeBody()
    #expect(body.count <= 64 << 10)
    #expect(try HIDEvents(body: body.span) == largest)

    let text = String(repeating: "x", count: HIDLimits.textBytes)
    let info = WindowInfo(
      windowID: WindowID(rawValue: 1), clientID: ClientID(rawValue: 2), clientName: text, processID: 3,
      frame: HIDRect(x: 0, y: 0, width: 1, height: 1), zOrder: 4, title: text, isFocused: false)
    let list = ListWindows.Answer(windows: Array(repeating: info, count: HIDLimits.windowsPerListing))
    #expect(ListWindows.Reply.success(list).makeBody().count <= 64 << 10)
  }

  @Test func deliveriesHaveALimit() {
    // 32 hands of 16 fingers are 544 events.
    let finger = DigitizerEvent.finger(1, .moved, at: HIDPoint(x: 0, y: 0))
    var writer = MessageWriter()
    writer.write(EventSystemProtocol.version)
    for _ in 0..<3 { writer.write(UInt64(1)) }
    writer.write(UInt16(32))
    for _ in 0..<32 {
      WindowEvent(windowID: WindowID(rawValue: 1), event: .hand(fingers: Array(repeating: finger, count: 16)))
        .write(to: &writer)
    }
    let body = writer.bytes
    #expect(throws: EventSystemError.tooMany(527, limit: 512)) { try HIDEvents(body: body.span) }
  }

  @Test func statusesAndOutcomesSayWhatTheyMean() throws {
    #expect(throws: EventSystemStatus.offScreen) { try InjectEvent.Reply.failure(.offScreen).get() }
    #expect(try InjectEvent.Reply.success(InjectOutcome(delivered: 2)).get().delivered == 2)
    #expect(InjectOutcome(delivered: 2).summary == .delivered)
    #expect(InjectOutcome(delivered: 1, cancelled: 1, missed: 1).summary == .cancelled)
    #expect(InjectOutcome(delivered: 1, missed: 1).summary == .missed)
    #expect(InjectOutcome().summary == .missed)
    #expect(Set(EventSystemStatus.allCases.map(\.description)).count == EventSystemStatus.allCases.count)
  }
}
