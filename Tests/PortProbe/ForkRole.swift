import Glibc
import LinuxSystem
import PortKit
import Synchronization

@_silgen_name("fork") private func forkProcess() -> CInt

/// Forks while its other threads are busy with a port. The children have only the thread that forked: a lock that
/// another one held is held for ever. (Not in a test, whose library takes a lock of its own for each error.)
enum ForkRole {
  private final class Place: Sendable {
    let port: ReceiveRight
    let right: SendRight

    init() throws(PortError) {
      let port = try ReceiveRight()
      right = try port.makeSendRight()
      self.port = port
    }
  }

  static func run(children: Int) throws {
    let place = try Place()
    let isOver = Atomic(false)
    let threads = (0..<4).map { number in
      WorkerThread {
        while !isOver.load(ordering: .relaxed) {
          if number % 2 == 0 { _ = place.right.send(Message(id: 1), timeout: .zero) } else { _ = receive(place) }
        }
      }
    }
    var failures = 0
    for _ in 0..<children where !endsWell(forkProcess(), place) { failures += 1 }
    isOver.store(true, ordering: .relaxed)
    for thread in threads { thread.join() }
    say("\(failures) failures")
  }

  private static func receive(_ place: Place) -> PortError? {
    do throws(PortError) {
      _ = try place.port.receive(timeout: .zero)
      return nil
    } catch {
      return error
    }
  }

  private static func endsWell(_ child: CInt, _ place: Place) -> Bool {
    if child == 0 {
      var isDead = false
      if case .returned(_, .deadName) = place.right.send(Message(id: 1), timeout: .zero) { isDead = true }
      _exit(isDead && receive(place) == .deadName ? 0 : 1)
    }
    if let process = try? openProcess(child) {
      let ended = try? waitForReadiness(of: process.number, .readable, until: Deadline(after: .seconds(10)))
      if ended != true { kill(child, SIGKILL) }
    }
    var status: CInt = 0
    _ = unsafe waitpid(child, &status, 0)
    return status == 0
  }
}
