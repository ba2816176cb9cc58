import HIDKit
import Testing

@Suite struct EventScriptTests {
  private let origin = HIDPoint(x: 0, y: 0)

  /// What every script of touches promises: ordered times, each finger one life in it, and all of them whole frames.
  private func expectComplete(_ script: EventScript, fingers: Int) {
    var last: Int64 = 0
    var down: Set<UInt32> = []
    var ended: Set<UInt32> = []
    for step in script.steps {
      #expect(step.offsetNanoseconds >= last)
      last = step.offsetNanoseconds
      #expect(throws: Never.self) { try step.event.validate() }
      #expect(step.event.digitizer?.transducer == .hand)
      #expect(step.event.contacts.count == fingers)
      for contact in step.event.contacts {
        switch contact.phase {
        case .began: #expect(!ended.contains(contact.identity) && down.insert(contact.identity).inserted)
        case .moved: #expect(down.contains(contact.identity))
        case .ended:
          #expect(down.remove(contact.identity) != nil)
          ended.insert(contact.identity)
        case .cancelled, nil: Issue.record("a script neither cancels nor rests")
        }
      }
      #expect(step.event.digitizer?.isTouching == !down.isEmpty)
    }
    #expect(down.isEmpty)
    #expect(ended.count == fingers)
    #expect(script.steps.first?.offsetNanoseconds == 0)
  }

  @Test func aTapGoesDownAndUpAtOnePlace() throws {
    let script = try EventScript.tap(at: HIDPoint(x: 10, y: 20))
    expectComplete(script, fingers: 1)
    #expect(script.steps.map(\.offsetNanoseconds) == [0, 50_000_000])
    #expect(script.steps.flatMap(\.event.contacts).allSatisfy { $0.position == HIDPoint(x: 10, y: 20) })
    #expect(try EventScript.tap(at: origin, hold: .zero).duration == .zero)
  }

  @Test func aSwipeMovesEvenlyAndArrives() throws {
    let script = try EventScript.swipe(from: HIDPoint(x: 0, y: 100), to: HIDPoint(x: 100, y: 0), steps: 4)
    expectComplete(script, fingers: 1)
    #expect(script.duration == .milliseconds(300))
    #expect(
      script.steps.map(\.offsetNanoseconds) == [0, 75_000_000, 150_000_000, 225_000_000, 300_000_000, 300_000_000])
    #expect(script.steps.map { $0.event.contacts[0].x } == [0, 25, 50, 75, 100, 100])
    #expect(script.steps.map { $0.event.contacts[0].y } == [100, 75, 50, 25, 0, 0])
  }

  @Test func aSwipeHasAMovePerTenPointsByDefault() throws {
    let far = try EventScript.swipe(from: origin, to: HIDPoint(x: 30, y: 40))
    #expect(far.steps.count == 1 + 5 + 1)
    let nowhere = try EventScript.swipe(from: origin, to: origin)
    #expect(nowhere.steps.count == 3)
    let huge = try EventScript.swipe(from: HIDPoint(x: -1e6, y: 0), to: HIDPoint(x: 1e6, y: 0))
    #expect(huge.steps.count == HIDLimits.scriptSteps + 2)
    expectComplete(huge, fingers: 1)
  }

  @Test func aPinchSpreadsOnAHorizontalLine() throws {
    let script = try EventScript.pinch(center: HIDPoint(x: 200, y: 50), scale: 1.5, steps: 2)
    expectComplete(script, fingers: 2)
    #expect(script.duration == .milliseconds(500))
    #expect(script.steps.map { $0.event.contacts.map(\.x) } == [[100, 300], [75, 325], [50, 350], [50, 350]])
    #expect(script.steps.flatMap(\.event.contacts).allSatisfy { $0.y == 50 })
    #expect(script.steps[0].event.contacts.map(\.index) == [0, 1])
  }

  @Test func twoFingersGoTheirOwnWays() throws {
    let script = try EventScript.twoFingers(
      .init(from: origin, to: HIDPoint(x: 0, y: 10)),
      .init(from: HIDPoint(x: 500, y: 0), to: HIDPoint(x: 400, y: 0)), duration: .seconds(1))
    expectComplete(script, fingers: 2)
    // The longer way decides the number of moves.
    #expect(script.steps.count == 1 + 10 + 1)
    #expect(script.steps[11].event.contacts.map(\.position) == [HIDPoint(x: 0, y: 10), HIDPoint(x: 400, y: 0)])
  }

  @Test func aKeyGoesDownAndUp() throws {
    let script = try EventScript.key(.a)
    #expect(script.steps.map(\.event) == [.key(.a, isDown: true), .key(.a, isDown: false)])
    #expect(script.duration == .milliseconds(50))
  }

  @Test func longestScriptStaysInRange() throws {
    let script = try EventScript.swipe(
      from: HIDPoint(x: -1e6, y: -1e6), to: HIDPoint(x: 1e6, y: 1e6), duration: HIDLimits.scriptDuration,
      steps: HIDLimits.scriptSteps)
    expectComplete(script, fingers: 1)
    #expect(script.duration == HIDLimits.scriptDuration)
  }

  @Test func badArgumentsAreNamed() {
    let far = HIDPoint(x: 1, y: -1.1e6)
    #expect(throws: EventScriptError.negativeDuration(.milliseconds(-1))) {
      try EventScript.tap(at: origin, hold: .milliseconds(-1))
    }
    #expect(throws: EventScriptError.negativeDuration(.nanoseconds(-1))) {
      try EventScript.swipe(from: origin, to: origin, duration: .nanoseconds(-1))
    }
    #expect(throws: EventScriptError.negativeDuration(.seconds(-1))) { try EventScript.key(.a, hold: .seconds(-1)) }
    #expect(throws: EventScriptError.durationTooLong(.seconds(3601))) {
      try EventScript.tap(at: origin, hold: .seconds(3601))
    }
    for steps in [0, -1, HIDLimits.scriptSteps + 1] {
      #expect(throws: EventScriptError.stepsOutOfRange(steps)) {
        try EventScript.swipe(from: origin, to: origin, steps: steps)
      }
    }
    #expect(throws: EventScriptError.pointTooFar(far)) { try EventScript.tap(at: far) }
    #expect(throws: EventScriptError.pointTooFar(far)) { try EventScript.swipe(from: origin, to: far) }
    for bad in [Double.nan, .infinity] {
      #expect(throws: EventScriptError.self) { try EventScript.tap(at: HIDPoint(x: bad, y: 0)) }
      #expect(throws: EventScriptError.self) { try EventScript.swipe(from: origin, to: HIDPoint(x: 0, y: bad)) }
      #expect(throws: EventScriptError.self) { try EventScript.pinch(center: HIDPoint(x: bad, y: 0), scale: 2) }
      #expect(throws: EventScriptError.notFinite("scale")) { try EventScript.pinch(center: origin, scale: bad) }
      #expect(throws: EventScriptError.notFinite("radius")) {
        try EventScript.pinch(center: origin, scale: 1, radius: bad)
      }
    }
    #expect(throws: EventScriptError.notPositive("scale", 0)) { try EventScript.pinch(center: origin, scale: 0) }
    #expect(throws: EventScriptError.notPositive("radius", -1)) {
      try EventScript.pinch(center: origin, scale: 1, radius: -1)
    }
    #expect(throws: EventScriptError.self) { try EventScript.pinch(center: origin, scale: 1e300, radius: 1e300) }
  }
}
