import LoopCore
import PortKit

/// A run loop with two ports. Tells each activity of the loop and which port woke it, until message 0 comes.
enum WakeRole {
  static func run(_ name: String) throws {
    let bootstrap = try Bootstrap.connect()
    let loop = RunLoop.current
    for suffix in ["first", "second"] {
      let port = try bootstrap.checkIn(try ServiceName("\(name).\(suffix)"))
      let source = RunLoop.Source1(port) { message in
        say("port \(suffix) \(message.id)")
        if message.id == 0 { loop.stop() }
        return nil
      }
      loop.add(source, to: .default)
    }
    let observer = RunLoop.Observer(.all) { activity in say("activity \(activity)") }
    loop.add(observer, to: .default)
    say("ready")
    say("result \(loop.run(in: .default))")
  }
}
