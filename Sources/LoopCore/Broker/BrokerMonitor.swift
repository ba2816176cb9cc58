import LinuxSystem
public import PortKit

extension RunLoop {
  /// Tells a loop when the broker is lost, and brings the connection back as soon as the broker is: names are put up
  /// again by ``Bootstrap``, then the closure hears of it. Sleeps meanwhile; nothing polls.
  ///
  /// The loop keeps it alive until `invalidate()`. To be used on the loop's thread.
  public final class BrokerMonitor {
    public enum Change: Hashable, Sendable {
      /// The connection broke. Rights between clients go on.
      case lost
      /// Connected again, the names are up.
      case restored
    }

    private let bootstrap: Bootstrap
    private let loop: RunLoop
    private let mode: Mode
    private let onChange: (Change) -> Void
    private var notices: Source1?
    private var loss: BrokerLossWatch?
    private var watch: WatchedDirectory?
    private var retry: Timer?
    private var pace = ReconnectPace()

    /// Watches from now on, in `mode`. The closure is called on the loop.
    public init(
      _ bootstrap: Bootstrap, on loop: RunLoop, in mode: Mode = .common, onChange: @escaping (Change) -> Void
    ) throws(PortError) {
      self.bootstrap = bootstrap
      self.loop = loop
      self.mode = mode
      self.onChange = onChange
      let source = Source1(try ReceiveRight()) { message in
        if case .deadName(let request) = message.notification { self.connectionDied(request) }
        return nil
      }
      notices = source
      loop.add(source, to: mode)
      if !arm() { awaitBroker() }
    }

    public func invalidate() {
      notices?.invalidate()
      notices = nil
      loss = nil
      endWatch()
      retry?.invalidate()
      retry = nil
    }

    /// A connection that is dead already gives its notice at once. False when there is none.
    private func arm() -> Bool {
      loss = notices?.withRight { port in bootstrap.watchForLoss(from: port) } ?? nil
      return loss != nil
    }

    private func connectionDied(_ request: DeadNameRequest) {
      guard request == loss?.request else { return }
      loss = nil
      bootstrap.dropDeadConnection()
      onChange(.lost)
      let pause = pace.pause(afterLossAt: .now)
      if pause == .zero { awaitBroker() } else { tryAgain(after: pause) }
    }

    // MARK: Waiting for the broker

    private func awaitBroker() {
      if notices == nil { return }
      if tryToReconnect() { return }
      watchDirectory()
      // It may have come between the failed attempt and the watch.
      if tryToReconnect() { return }
      // The user's inotify instances may be used up: then there is only the clock.
      if watch == nil { tryAgain(after: LoopLimits.brokerRetry) }
    }

    private func tryAgain(after pause: Duration) {
      retry?.invalidate()
      let timer = Timer(fireAfter: pause) { _ in self.awaitBroker() }
      retry = timer
      loop.add(timer, to: mode)
    }

    /// Another thread's request may have connected already.
    private func tryToReconnect() -> Bool {
      do { try bootstrap.reconnect() } catch { return false }
      // Before the word goes out: what its receivers then do is done on a connection whose loss will be heard of.
      guard arm() else { return false }
      endWatch()
      pace.connected(at: .now)
      onChange(.restored)
      return true
    }

    private func watchDirectory() {
      endWatch()
      watch = WatchedDirectory(bootstrap.address, on: loop, in: mode) { self.awaitBroker() }
    }

    private func endWatch() {
      watch?.end()
      watch = nil
    }
  }
}
