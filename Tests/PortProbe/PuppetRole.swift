import HIDKit
import LinuxSystem
import LoopCore
import PortKit
import TouchKit

/// A client that does what calls to its port say. Tells what its windows see.
///
/// - 1: shows a window over the whole display; the body is its order. The answer has the same id.
/// - 2: takes its newest window away.
/// - 3: asks the broker something and tells whether it was answered.
/// - 4: the callout of its next touch runs the loop until another touch begins.
final class PuppetRole {
  private let name: String
  private let bootstrap: Bootstrap
  private let application: Application
  private var shown = 0

  private init(_ name: String) throws {
    self.name = name
    bootstrap = try Bootstrap.connect()
    application = try Application(name: name, bootstrap: bootstrap, on: .current)
    application.onBrokerChange = { change in say("broker \(change)") }
  }

  static func run(_ name: String) throws {
    let puppet = try PuppetRole(name)
    let port = try puppet.bootstrap.checkIn(try ServiceName(name))
    let source = RunLoop.Source1(port) { request in
      puppet.obey(request)
      return Message(id: request.id)
    }
    RunLoop.current.add(source, to: .common)
    say("ready")
    RunLoop.current.run()
  }

  private func obey(_ request: borrowing Message) {
    do {
      switch request.id {
      case 1:
        var reader = MessageReader(request.body)
        try show(order: reader.read(Int32.self))
      case 2: if let window = application.windows.last { try application.remove(window) }
      case 3: say("asked \(try bootstrap.perform(ListWindows()).windows.count)")
      case 4: MainActor.assumeIsolated { Sheet.nests = true }
      default: break
      }
    } catch {
      say("failed \(error)")
    }
  }

  private func show(order: Int32) throws {
    shown += 1
    try application.add(
      Sheet(frame: HIDRect(x: 0, y: 0, width: 1024, height: 768), zOrder: order, title: "\(name).\(shown)"))
  }

  private final class Sheet: Window {
    @MainActor static var nests = false
    @MainActor private static var begins = 0

    override func touchesBegan(_ event: TouchEvent) {
      say("began \(title) \(event.touches.count)")
      MainActor.assumeIsolated { Self.nestOnce() }
    }

    @MainActor private static func nestOnce() {
      begins += 1
      guard nests else { return }
      nests = false
      let (begun, deadline) = (begins, Deadline(after: .seconds(5)))
      while begins == begun, !deadline.hasPassed {
        RunLoop.current.run(in: .default, for: .seconds(1), returnAfterSourceHandled: true)
      }
      say("nested run over")
    }
    override func touchesEnded(_ event: TouchEvent) { say("ended \(title) \(event.touches.count)") }
    override func touchesCancelled(_ event: TouchEvent) { say("cancelled \(title) \(event.touches.count)") }
    override func keyChanged(_ press: KeyPress) { say("key \(title) \(press.key.isDown)") }
  }
}
