public import LoopCore
import LinuxSystem
public import PortKit

/// A client of the broker's event system on a run loop: its event port as a Source1, its windows at the broker, and the
/// way back when the broker was lost.
///
/// The loop keeps it alive until `invalidate()`. To be used on the loop's thread. Events come in the order of the
/// broker's sequence numbers.
public final class EventSystemClient {
  /// Order of the event port's source, as in UIKit's main loop.
  public static let sourceOrder = -1

  public enum Change: Hashable, Sendable {
    /// The event port is dead: no event of the connection will follow. Called in the turn in which the loop heard of
    /// it.
    case lost
    /// The event system is open again. Windows must be created anew.
    case restored
  }

  /// One delivery, with the moment at which the event port's callback got it.
  public struct Arrival: Sendable {
    public let events: HIDEvents
    /// CLOCK_MONOTONIC.
    public let receivedNanoseconds: Int64
  }

  public let name: String
  /// Size of the display in points.
  public private(set) var displaySize = HIDSize(width: 0, height: 0)

  private let bootstrap: Bootstrap
  private let loop: RunLoop
  private let mode: RunLoop.Mode
  private let onArrival: (Arrival) -> Void
  private let onChange: (Change) -> Void
  private var port: RunLoop.Source1?
  private var monitor: RunLoop.BrokerMonitor?

  /// Opens the event system.
  public init(
    name: String, bootstrap: Bootstrap, on loop: RunLoop, in mode: RunLoop.Mode = .common,
    onChange: @escaping (Change) -> Void = { _ in }, onArrival: @escaping (Arrival) -> Void
  ) throws(EventSystemFailure) {
    guard name.utf8.count <= HIDLimits.textBytes else { throw .textTooLong(bytes: name.utf8.count) }
    self.name = name
    self.bootstrap = bootstrap
    self.loop = loop
    self.mode = mode
    self.onChange = onChange
    self.onArrival = onArrival
    // First the monitor: a loss between the two would otherwise never be heard of.
    do {
      monitor = try RunLoop.BrokerMonitor(bootstrap, on: loop, in: mode) { change in
        if change == .restored { self.reopen() }
      }
    } catch {
      throw .broker(.port(error))
    }
    do {
      // Unless the monitor had to connect anew: then it was opened with the new broker already.
      if port == nil { try open() }
    } catch {
      monitor?.invalidate()
      throw error
    }
  }

  public func invalidate() {
    monitor?.invalidate()
    monitor = nil
    port?.invalidate()
    port = nil
  }

  // MARK: Requests

  public func createWindow(_ request: CreateWindow) throws(EventSystemFailure) -> WindowID {
    guard request.title.utf8.count <= HIDLimits.textBytes else {
      throw .textTooLong(bytes: request.title.utf8.count)
    }
    return try bootstrap.perform(request, timeout: HIDLimits.requestTimeout).windowID
  }

  public func moveWindow(_ request: MoveWindow) throws(EventSystemFailure) {
    _ = try bootstrap.perform(request, timeout: HIDLimits.requestTimeout)
  }

  public func destroyWindow(_ id: WindowID) throws(EventSystemFailure) {
    _ = try bootstrap.perform(DestroyWindow(windowID: id), timeout: HIDLimits.requestTimeout)
  }

  /// Everything up to `sequence` was dispatched to the views.
  public func finished(_ sequence: UInt64) {
    // A broker that is gone needs no word; a new one counts anew.
    let note = EventsFinished(sequence: sequence)
    _ = bootstrap.tell(Message(id: EventsFinished.messageID.rawValue, body: note.makeBody()))
  }

  // MARK: Connection

  /// A new port for each connection: what the old one still holds is served first, and its end is told apart.
  private func open() throws(EventSystemFailure) {
    let source = try makePort()
    let answer: OpenEventSystem.Answer
    do {
      let request = OpenEventSystem(clientName: name)
      answer = try bootstrap.perform(request, timeout: HIDLimits.requestTimeout) { (message) throws(PortError) in
        let right = try source.withRight { (port) throws(PortError) in try port.makeSendRight() }
        if let right { message.attach(right) }
      }
    } catch {
      source.invalidate()
      throw error
    }
    displaySize = answer.displaySize
    port = source
  }

  private func makePort() throws(EventSystemFailure) -> RunLoop.Source1 {
    do throws(PortError) {
      let port = try ReceiveRight()
      try port.setQueueLimit(HIDLimits.eventQueue)
      try port.requestNoSendersNotification(sync: 1)
      let source = RunLoop.Source1(port, order: Self.sourceOrder) { message in
        self.handle(message)
        return nil
      }
      loop.add(source, to: mode)
      return source
    } catch {
      throw .broker(.port(error))
    }
  }

  private func handle(_ message: borrowing Message) {
    if message.notification != nil {
      portDied()
    } else if message.id == HIDEvents.messageID.rawValue, let events = try? HIDEvents(body: message.body) {
      onArrival(Arrival(events: events, receivedNanoseconds: Instant.now.nanoseconds))
    }
  }

  private func portDied() {
    port?.invalidate()
    port = nil
    onChange(.lost)
    if isRestorePending { reopen() }
  }

  /// The broker may be back before the old port told its end.
  private var isRestorePending = false

  private func reopen() {
    isRestorePending = port != nil
    if isRestorePending { return }
    do {
      try open()
      onChange(.restored)
    } catch {
      // Lost again: the monitor will say when the next broker is there.
    }
  }
}
