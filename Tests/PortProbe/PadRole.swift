import HIDKit
import LoopCore
import PortKit
import TouchKit

/// A client with one window of 512 by 768 points at `x`. Tells what its view sees.
enum PadRole {
  static func run(_ name: String, x: Double) throws {
    let application = try Application(name: name, bootstrap: try .connect(), on: .current)
    let window = Window(frame: HIDRect(x: x, y: 0, width: 512, height: 768), title: name)
    let pad = Pad(frame: HIDRect(x: 0, y: 0, width: 512, height: 768))
    window.addSubview(pad)
    window.firstResponder = pad
    application.onBrokerChange = { change in say("broker \(change) touches \(window.activeTouches.count)") }
    try application.add(window)
    say("ready")
    RunLoop.current.run()
  }

  private final class Pad: View {
    override func touchesBegan(_ event: TouchEvent) { tell("began", event) }
    override func touchesMoved(_ event: TouchEvent) { tell("moved", event) }
    override func touchesEnded(_ event: TouchEvent) { tell("ended", event) }
    override func touchesCancelled(_ event: TouchEvent) { tell("cancelled", event) }
    override func keyChanged(_ press: KeyPress) { say("key \(press.key.usage) \(press.key.isDown ? "down" : "up")") }

    private func tell(_ what: String, _ event: TouchEvent) {
      for touch in event.touches { say("\(what) \(Int(touch.location.x)) \(Int(touch.location.y))") }
    }
  }
}
