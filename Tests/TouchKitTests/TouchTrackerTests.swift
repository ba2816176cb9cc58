import HIDKit
import TestSupport
import Testing

@testable import TouchKit

/// Every touch begins once and ends once, whatever contacts say.
@Suite struct TouchTrackerTests {
  private let scene = Scene()

  @Test func aSecondDownCancelsTheFirst() {
    scene.send(finger(1, .began, 10, 10))
    scene.send(finger(1, .began, 110, 10))
    #expect(scene.recorder.text == "left began 1, left cancelled 1, right began 1")
    scene.send(finger(1, .ended, 110, 10))
    #expect(scene.recorder.text == "left began 1, left cancelled 1, right began 1, right ended 1")
  }

  /// What the finger did before is told before, also when another finger began earlier in the frame.
  @Test func theFirstIsCancelledBeforeTheSecondBegins() {
    scene.send(finger(1, .began, 10, 10))
    _ = scene.recorder.takeText()
    scene.send(finger(2, .began, 20, 10), finger(1, .began, 30, 10))
    #expect(scene.recorder.text == "left cancelled 1, left began 2")
  }

  @Test func whatIsNotDownSaysNothing() {
    scene.send(finger(1, .moved, 10, 10), finger(1, .ended, 10, 10), finger(1, .cancelled, 10, 10))
    var resting = finger(1, .began, 10, 10)
    resting.eventMask = []
    scene.send(resting)
    scene.send()
    #expect(scene.recorder.text == "")
  }

  /// One frame may tell a whole life, or the end of one and the begin of the next.
  @Test func livesInOneFrameKeepTheirOrder() {
    scene.send(finger(1, .began, 10, 10), finger(1, .ended, 10, 10), finger(1, .began, 110, 10))
    #expect(scene.recorder.takeText() == "left began 1, left ended 1, right began 1")
    scene.send(
      finger(1, .moved, 120, 10), finger(1, .moved, 130, 10), finger(1, .ended, 130, 10), finger(1, .began, 10, 10),
      finger(1, .moved, 11, 10))
    #expect(
      scene.recorder.text == "right moved 1, right moved 1, right ended 1, left began 1, left moved 1")
    #expect(scene.recorder.entries.flatMap(\.points).map(\.x) == [120, 130, 130, 10, 11])
  }

  @Test(arguments: [1, 2, 3, UInt64.random(in: 4...UInt64.max)])
  func randomStreamsBeginOnceAndEndOnce(seed: UInt64) {
    print("TouchTrackerTests: seed \(seed)")
    var random = SeededNumbers(seed: seed)
    for _ in 0..<2000 {
      let contacts = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        finger(
          UInt32.random(in: 1...4, using: &random),
          [.began, .moved, .moved, .ended, .cancelled].randomElement(using: &random)!,
          Double.random(in: -10...210, using: &random), Double.random(in: -10...110, using: &random))
      }
      scene.send(sender: UInt64.random(in: 1...2, using: &random), contacts)
      if Int.random(in: 0..<100, using: &random) == 0 { scene.window.cancelTouches(HopStamps()) }
    }
    scene.window.cancelTouches(HopStamps())
    check(scene.recorder.entries, "seed \(seed)")
  }

  private func check(_ entries: [Recorder.Entry], _ comment: Comment) {
    var alive: [ObjectIdentifier: String] = [:]
    var ended: Set<ObjectIdentifier> = []
    for entry in entries {
      #expect(Set(entry.touches).count == entry.touches.count, comment)
      for touch in entry.touches {
        #expect(!ended.contains(touch), comment)
        switch entry.phase {
        case .began: #expect(alive.updateValue(entry.view, forKey: touch) == nil, comment)
        case .moved: #expect(alive[touch] == entry.view, comment)
        case .ended, .cancelled:
          #expect(alive.removeValue(forKey: touch) == entry.view, comment)
          ended.insert(touch)
        }
      }
    }
    #expect(alive.isEmpty, comment)
    #expect(ended.count > 100, comment)
  }
}
