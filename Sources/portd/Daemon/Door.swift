import LinuxSystem
import LoopCore
import ServiceKit

/// Lets clients in, one per turn of the loop: a storm of connections must not keep those who are connected waiting.
///
/// When the process is out of descriptors, a connection that waits would make the listener ready for ever. One
/// descriptor is held back for this case: it takes the connection in to close it, so that the client hears of it.
final class Door {
  private let socket: BrokerSocket
  private let log: Log
  private let loop: RunLoop
  private let admit: (consuming PacketSocket) throws(Errno) -> Void
  private var source: RunLoop.DescriptorSource?
  private var reserve: EventCounter?

  /// Opens at once.
  init(
    _ socket: BrokerSocket, log: Log, loop: RunLoop, admit: @escaping (consuming PacketSocket) throws(Errno) -> Void
  ) throws(Errno) {
    self.socket = socket
    self.log = log
    self.loop = loop
    self.admit = admit
    reserve = try EventCounter()
    open()
  }

  func close() {
    source?.invalidate()
    source = nil
  }

  private func open() {
    let source = RunLoop.DescriptorSource(socket.listener.number) { [unowned self] in accept() }
    self.source = source
    loop.add(source, to: .common)
  }

  private func accept() {
    do throws(Errno) {
      if let client = try NamedSocket.accept(from: socket.listener) { try admit(client) }
    } catch {
      // Gone before it was let in: nobody is refused anything.
      if error == .noSuchProcess { return }
      log.warning(key: "door", "a connection was refused: \(error)")
      if error.isDescriptorShortage { turnAway() }
    }
  }

  private func turnAway() {
    reserve = nil
    let turned = try? NamedSocket.accept(from: socket.listener)
    let isStuck = turned == nil
    _ = consume turned
    reserve = try? EventCounter()
    // Somebody else took the descriptor that was set free: wait for better times instead of spinning.
    if isStuck || reserve == nil { pause() }
  }

  private func pause() {
    close()
    let timer = RunLoop.Timer(fireAfter: BrokerLimits.doorPause) { [weak self] _ in self?.open() }
    loop.add(timer, to: .common)
  }
}
