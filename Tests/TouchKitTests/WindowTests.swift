import HIDKit
import Testing

@testable import TouchKit

@Suite struct WindowTests {
  private let scene = Scene()

  @Test func aTouchGoesToTheViewUnderItsDown() {
    scene.send(finger(1, .began, 10, 10))
    scene.send(finger(1, .moved, 150, 10))
    scene.send(finger(1, .ended, 500, 500))
    #expect(scene.recorder.text == "left began 1, left moved 1, left ended 1")
    #expect(scene.window.activeTouches.isEmpty)
  }

  @Test func eachViewIsCalledOnceForEachPhase() {
    scene.send(finger(1, .began, 10, 10), finger(2, .began, 110, 10), finger(3, .began, 20, 10))
    #expect(scene.recorder.takeText() == "left began 2, right began 1")
    scene.send(finger(1, .moved, 11, 10), finger(2, .ended, 110, 10), finger(3, .moved, 21, 10))
    #expect(scene.recorder.takeText() == "left moved 2, right ended 1")
    scene.send(finger(3, .cancelled, 21, 10), finger(1, .ended, 11, 10), finger(4, .began, 5, 80))
    #expect(scene.recorder.takeText() == "left cancelled 1, left ended 1, window began 1")
    #expect(scene.window.activeTouches.count == 1)
  }

  @Test func aHandMayBeASingleFinger() {
    let event = HIDEvent(.digitizer(finger(1, .began, 110, 10)), senderID: 1)
    scene.window.dispatch(event, HopStamps())
    #expect(scene.recorder.text == "right began 1")
  }

  @Test func sendersDoNotMix() {
    scene.send(sender: 1, finger(1, .began, 10, 10))
    scene.send(sender: 2, finger(1, .began, 110, 10))
    scene.send(sender: 1, finger(1, .ended, 10, 10))
    #expect(scene.recorder.text == "left began 1, right began 1, left ended 1")
    #expect(scene.window.activeTouches.first?.view === scene.right)
  }

  @Test func theTouchKnowsWhereItIsAndWas() throws {
    scene.send(at: 5, finger(1, .began, 110, 10))
    let touch = try #require(scene.window.activeTouches.first)
    #expect(touch.phase == .began)
    #expect(touch.previousLocation == touch.location)
    scene.send(at: 7, finger(1, .moved, 120, 30))
    #expect(touch.location == HIDPoint(x: 120, y: 30))
    #expect(touch.previousLocation == HIDPoint(x: 110, y: 10))
    #expect(touch.location(in: touch.view) == HIDPoint(x: 20, y: 30))
    #expect(touch.location(in: nil) == HIDPoint(x: 120, y: 30))
    #expect(touch.location(in: scene.window) == HIDPoint(x: 120, y: 30))
    #expect(touch.timestampNanoseconds == 7)
    scene.send(at: 9, finger(1, .ended, 121, 31))
    #expect(touch.phase == .ended)
    #expect(touch.timestampNanoseconds == 9)
  }

  @Test func theViewStaysThatOfTheDownWhateverBecomesOfTheTree() {
    scene.send(finger(1, .began, 10, 10))
    scene.left.isHidden = true
    scene.send(finger(1, .moved, 12, 10))
    scene.left.removeFromSuperview()
    scene.send(finger(1, .ended, 12, 10))
    #expect(scene.recorder.text == "left began 1, left moved 1, left ended 1")
  }

  /// Nobody was hit: nobody hears of it, as on iOS.
  @Test func aWindowThatTakesNoTouchesGetsNone() {
    let switches: [(Window) -> Void] = [
      { $0.isHidden = true }, { $0.isUserInteractionEnabled = false }, { $0.alpha = 0 },
    ]
    for switchOff in switches {
      let scene = Scene()
      switchOff(scene.window)
      scene.send(finger(1, .began, 10, 10), finger(2, .began, 10, 80))
      scene.send(finger(1, .moved, 12, 10))
      scene.window.isHidden = false
      scene.send(finger(1, .ended, 12, 10))
      scene.window.cancelTouches(HopStamps())
      #expect(scene.recorder.text == "")
    }
  }

  /// The view is gone with its touches: no other view gets the rest of them, which it never saw begin.
  @Test func touchesOfAViewThatIsGoneEndWithIt() {
    scene.send(finger(1, .began, 110, 10), finger(2, .began, 10, 80))
    scene.dropRight()
    scene.send(finger(1, .moved, 110, 11))
    scene.send(finger(1, .ended, 110, 11))
    scene.send(finger(2, .ended, 10, 80))
    #expect(scene.recorder.text == "right began 1, window began 1, window ended 1")
  }

  @Test func cancellingEndsAllTouchesOnceInTheOrderOfTheirDowns() {
    for number: UInt32 in 1...20 { scene.send(finger(number, .began, Double(number * 9), 10)) }
    let downs = scene.window.activeTouches.map(ObjectIdentifier.init)
    #expect(scene.recorder.entries.flatMap(\.touches) == downs)
    _ = scene.recorder.takeText()
    scene.window.cancelTouches(HopStamps())
    #expect(scene.recorder.text == "left cancelled 11, right cancelled 9")
    #expect(scene.recorder.entries.flatMap(\.touches) == downs)
    #expect(scene.window.activeTouches.isEmpty)
    scene.window.cancelTouches(HopStamps())
    scene.send(finger(1, .moved, 10, 10), finger(2, .ended, 10, 10))
    #expect(scene.recorder.entries.count == 2)
  }

  /// A view may take its window away: what was not told yet is not told any more.
  @Test func cancellingInTheMiddleOfAFrame() {
    let recorder = Recorder()
    let window = RecordingWindow(recorder)
    let trap = Trap(frame: HIDRect(x: 0, y: 0, width: 100, height: 50))
    window.addSubview(trap)
    window.dispatch(.hand(fingers: [finger(1, .began, 10, 80)], senderID: 1), HopStamps())
    window.dispatch(
      .hand(
        fingers: [finger(2, .began, 10, 10), finger(3, .began, 20, 80), finger(1, .moved, 11, 80)], senderID: 1),
      HopStamps())
    #expect(recorder.text == "window began 1, window cancelled 1")
    #expect(trap.told == ["began 1", "cancelled 1"])
    window.dispatch(.hand(fingers: [finger(3, .ended, 20, 80)], senderID: 1), HopStamps())
    #expect(recorder.entries.count == 2)
  }

  private final class Trap: View {
    var told: [String] = []

    override func touchesBegan(_ event: TouchEvent) {
      told.append("began \(event.touches.count)")
      event.touches[0].window.cancelTouches(event.stamps)
    }
    override func touchesCancelled(_ event: TouchEvent) { told.append("cancelled \(event.touches.count)") }
  }

  /// What a view overrides may look at the window's touches.
  @Test func hitTestingMayAskForTouches() {
    final class Single: Window {
      override func hitTest(_ point: HIDPoint) -> View? { activeTouches.isEmpty ? super.hitTest(point) : nil }
    }
    let window = Single(frame: HIDRect(x: 0, y: 0, width: 100, height: 100))
    window.dispatch(.hand(fingers: [finger(1, .began, 10, 10)], senderID: 1), HopStamps())
    window.dispatch(.hand(fingers: [finger(2, .began, 10, 10)], senderID: 1), HopStamps())
    #expect(window.activeTouches.map { $0.view === window } == [true, false])
  }

  @Test func keysGoToTheFirstResponderOrToTheWindow() {
    let down = HIDEvent.key(HIDUsage(rawValue: 4), isDown: true)
    scene.window.dispatch(down, HopStamps())
    scene.window.firstResponder = scene.right
    scene.window.dispatch(down, HopStamps())
    scene.dropRight()
    scene.window.dispatch(.key(HIDUsage(rawValue: 4), isDown: false), HopStamps())
    #expect(scene.recorder.keys == ["window true", "right true", "window false"])
  }
}
