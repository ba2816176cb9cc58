import HIDKit

@testable import TouchKit

/// What views were told, in order.
final class Recorder {
  struct Entry: Hashable {
    let view: String
    let phase: Touch.Phase
    let touches: [ObjectIdentifier]
    let points: [HIDPoint]
  }

  var entries: [Entry] = []
  var keys: [String] = []
  /// The touches that were told of: while they live, their identity is theirs alone.
  private var touches: [Touch] = []

  /// "a began 2, b ended 1"
  var text: String { entries.map { "\($0.view) \($0.phase) \($0.touches.count)" }.joined(separator: ", ") }

  func note(_ view: String, _ phase: Touch.Phase, _ event: TouchEvent) {
    touches += event.touches
    entries.append(
      Entry(
        view: view, phase: phase, touches: event.touches.map(ObjectIdentifier.init),
        points: event.touches.map(\.location)))
  }

  func takeText() -> String {
    defer { entries = [] }
    return text
  }
}

final class RecordingView: View {
  private let name: String
  private let recorder: Recorder

  init(_ name: String, frame: HIDRect, _ recorder: Recorder) {
    self.name = name
    self.recorder = recorder
    super.init(frame: frame)
  }

  override func touchesBegan(_ event: TouchEvent) { recorder.note(name, .began, event) }
  override func touchesMoved(_ event: TouchEvent) { recorder.note(name, .moved, event) }
  override func touchesEnded(_ event: TouchEvent) { recorder.note(name, .ended, event) }
  override func touchesCancelled(_ event: TouchEvent) { recorder.note(name, .cancelled, event) }
  override func keyChanged(_ press: KeyPress) { recorder.keys.append("\(name) \(press.key.isDown)") }
}

final class RecordingWindow: Window {
  private let recorder: Recorder

  init(_ recorder: Recorder) {
    self.recorder = recorder
    super.init(frame: HIDRect(x: 100, y: 100, width: 200, height: 100))
  }

  override func touchesBegan(_ event: TouchEvent) { recorder.note("window", .began, event) }
  override func touchesMoved(_ event: TouchEvent) { recorder.note("window", .moved, event) }
  override func touchesEnded(_ event: TouchEvent) { recorder.note("window", .ended, event) }
  override func touchesCancelled(_ event: TouchEvent) { recorder.note("window", .cancelled, event) }
  override func keyChanged(_ press: KeyPress) { recorder.keys.append("window \(press.key.isDown)") }
}

/// A window of 200 by 100 points with two views side by side, each 100 by 50, so that its lower half is its own.
final class Scene {
  let recorder = Recorder()
  let window: RecordingWindow
  let left: RecordingView
  private(set) var right: RecordingView?

  init() {
    window = RecordingWindow(recorder)
    left = RecordingView("left", frame: HIDRect(x: 0, y: 0, width: 100, height: 50), recorder)
    let right = RecordingView("right", frame: HIDRect(x: 100, y: 0, width: 100, height: 50), recorder)
    window.addSubview(left)
    window.addSubview(right)
    self.right = right
  }

  func dropRight() {
    right?.removeFromSuperview()
    right = nil
  }

  /// One frame; points are the window's.
  func send(sender: UInt64 = 1, at time: Int64 = 1, _ contacts: DigitizerEvent...) {
    send(sender: sender, at: time, contacts)
  }

  func send(sender: UInt64 = 1, at time: Int64 = 1, _ contacts: [DigitizerEvent]) {
    window.dispatch(.hand(fingers: contacts, timestampNanoseconds: time, senderID: sender), HopStamps())
  }
}

func finger(_ identity: UInt32, _ phase: DigitizerEvent.Phase, _ x: Double, _ y: Double) -> DigitizerEvent {
  .finger(identity, phase, at: HIDPoint(x: x, y: y))
}
