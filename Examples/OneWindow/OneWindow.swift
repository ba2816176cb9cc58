// The smallest client with a window: says where it is touched.
//
//   OneWindow        then, in another shell: portctl tap 100 200
import Glibc
import HIDKit
import LoopCore
import PortKit
import TouchKit

final class Pad: View {
  override func touchesBegan(_ event: TouchEvent) {
    for touch in event.touches { tell("touched at \(touch.location(in: self))") }
  }

  override func touchesCancelled(_ event: TouchEvent) { tell("the broker took \(event.touches.count) away") }

  override func keyChanged(_ press: KeyPress) { tell("key \(press.key.usage) \(press.key.isDown ? "down" : "up")") }
}

/// At once, also into a pipe or a file.
func tell(_ text: String) {
  print(text)
  fflush(nil)
}

@main struct OneWindow {
  static func main() throws {
    // Reconnects by itself: an application needs no monitor of the broker besides.
    let application = try Application(name: "OneWindow", bootstrap: .connect(), on: .current)
    let window = Window(frame: HIDRect(x: 0, y: 0, width: 512, height: 768), title: "one")
    let pad = Pad(frame: HIDRect(x: 0, y: 0, width: 512, height: 768))
    window.addSubview(pad)
    window.firstResponder = pad
    try application.add(window)
    RunLoop.current.run()
  }
}
