// A window that prints its touches and keys, with the time that each event took from station to station.
//
//   TouchPad [--name NAME] [--x X] [--y Y] [--size WxH] [--z Z] [--json]
import HIDKit
import LoopCore
import PortKit
import ServiceKit
import TouchKit

@main struct TouchPad {
  static func main() {
    CommandLineTool(program).main(explaining: explain) { arguments in
      let name = arguments.text("name")!
      let size = arguments.size("size")!
      let frame = HIDRect(
        x: arguments.number("x")!, y: arguments.number("y")!, width: Double(size.width), height: Double(size.height))
      let printer = Printer(client: name, isJSON: arguments.isSet("json"))
      let bootstrap = try Bootstrap.connect()
      let application = try Application(name: name, bootstrap: bootstrap, on: .current)
      let window = Window(frame: frame, zOrder: Int32(arguments.integer("z")!), title: name)
      let pad = Pad(frame: HIDRect(x: 0, y: 0, width: frame.width, height: frame.height), printer: printer)
      window.addSubview(pad)
      window.firstResponder = pad
      application.onBrokerChange = { change in printer.note("broker \(change)") }
      try application.add(window)
      printer.note("ready")
      RunLoop.current.run()
    }
  }

  /// The exit status for a broker that is not there.
  private static func explain(_ error: any Error) -> CommandFailure? {
    switch error {
    case let error as BootstrapError: CommandFailure(.brokerUnreachable, error.description)
    case EventSystemFailure.broker(let error): CommandFailure(.brokerUnreachable, error.description)
    default: nil
    }
  }

  static let program = ProgramSpec(
    version: ProductVersion.current,
    root: CommandSpec(
      "TouchPad", "Show a window that prints its touches and keys",
      options: [
        OptionSpec("name", "NAME", .text, default: "TouchPad", "Name of the client and title of its window"),
        OptionSpec("x", "X", .number(ValueKind.everyNumber), default: "0", "Left edge on the display, in points"),
        OptionSpec("y", "Y", .number(ValueKind.everyNumber), default: "0", "Upper edge on the display, in points"),
        OptionSpec("size", "WxH", .size(1...16384), default: "512x768", "Size of the window in points"),
        OptionSpec("z", "Z", .integer(-1000...1000), default: "0", "Order of the window; higher is in front"),
        OptionSpec("json", "Print one line of JSON for each event"),
      ]),
    exitStatuses: ExitStatus.toolTable, manual: .init(section: 1, date: ProductVersion.manualDate))
}

/// The view under the fingers.
final class Pad: View {
  private let printer: Printer

  init(frame: HIDRect, printer: Printer) {
    self.printer = printer
    super.init(frame: frame)
  }

  override func touchesBegan(_ event: TouchEvent) { printer.print("began", event) }
  override func touchesMoved(_ event: TouchEvent) { printer.print("moved", event) }
  override func touchesEnded(_ event: TouchEvent) { printer.print("ended", event) }
  override func touchesCancelled(_ event: TouchEvent) { printer.print("cancelled", event) }

  override func keyChanged(_ press: KeyPress) {
    printer.print(press.key.isDown ? "key down \(press.key.usage)" : "key up \(press.key.usage)", [], press.stamps)
  }
}
