public import HIDKit
import LinuxSystem
public import LoopCore
public import PortKit

/// The client's half of the way of an event: event port, queue, windows, views.
///
/// On the loop: the event port's Source1 (order −1) puts deliveries into a queue and signals the fetcher's Source0
/// (order −2); that one hands them to the event queue's Source0 (order −1), which dispatches them to windows and views
/// and then acknowledges all at once.
///
/// It connects again by itself when the broker was lost; no `BrokerMonitor` is needed besides.
/// The loop keeps the application alive until `invalidate()`. To be used on the loop's thread.
public final class Application {
  /// Orders of the two sources, as UIKit has them: before ordinary sources, the fetcher first.
  public static let fetcherOrder = -2
  public static let queueOrder = -1

  public enum BrokerChange: Hashable, Sendable {
    /// All touches were cancelled in the turn in which the loss was noticed.
    case lost
    /// The windows are back at the broker.
    case restored
  }

  /// Called after the library has done its part.
  public var onBrokerChange: ((BrokerChange) -> Void)?
  public private(set) var windows: [Window] = []

  private let loop: RunLoop
  private var client: EventSystemClient?
  private var arrived: [EventSystemClient.Arrival] = []
  private var queue: [EventSystemClient.Arrival] = []
  /// Brokers that were lost.
  private var losses = 0
  private var isLost = false
  /// Pause between attempts to show a window that the broker refused after its return.
  private static let windowRetry: Duration = .seconds(1)
  private var fetcher: RunLoop.Source0?
  private var dispatcher: RunLoop.Source0?

  /// Opens the event system and puts its sources on the loop.
  public init(name: String, bootstrap: Bootstrap, on loop: RunLoop) throws(EventSystemFailure) {
    self.loop = loop
    let fetcher = RunLoop.Source0(order: Self.fetcherOrder) { self.fetch() }
    let dispatcher = RunLoop.Source0(order: Self.queueOrder) { self.drain() }
    self.fetcher = fetcher
    self.dispatcher = dispatcher
    loop.add(fetcher, to: .common)
    loop.add(dispatcher, to: .common)
    client = try EventSystemClient(
      name: name, bootstrap: bootstrap, on: loop,
      onChange: { change in self.changed(change) },
      onArrival: { arrival in
        self.arrived.append(arrival)
        fetcher.signal()
      })
  }

  /// Leaves the loop and the event system; the windows are taken away by the broker.
  public func invalidate() {
    client?.invalidate()
    client = nil
    fetcher?.invalidate()
    dispatcher?.invalidate()
  }

  /// In points.
  public var displaySize: HIDSize { client?.displaySize ?? HIDSize(width: 0, height: 0) }

  // MARK: Windows

  /// Shows a window: from now on it takes touches, and being the newest, the keys.
  public func add(_ window: Window) throws(EventSystemFailure) {
    window.createdNanoseconds = now()
    try register(window)
    windows.append(window)
  }

  /// Takes a window away; its touches are cancelled first.
  public func remove(_ window: Window) throws(EventSystemFailure) {
    windows.removeAll { $0 === window }
    window.cancelTouches(HopStamps())
    guard let id = window.id else { return }
    window.id = nil
    try client?.destroyWindow(id)
  }

  private func register(_ window: Window) throws(EventSystemFailure) {
    window.id = try client?.createWindow(
      CreateWindow(
        frame: window.frame, zOrder: window.zOrder, title: window.title,
        createdNanoseconds: window.createdNanoseconds))
  }

  // MARK: The way of an event

  private func fetch() {
    queue += arrived
    arrived.removeAll(keepingCapacity: true)
    dispatcher?.signal()
  }

  /// One by one: a run that is nested in a callout goes on where this one is, at once and in order.
  private func drain() {
    let (drained, losses) = (now(), losses)
    var last: UInt64?
    while !queue.isEmpty {
      let arrival = queue.removeFirst()
      if !queue.isEmpty { dispatcher?.signal() }
      dispatch(arrival, drained)
      last = arrival.events.sequence
    }
    // Cumulative: one acknowledgement for all that this turn dispatched. A new broker would not know the number.
    if let last, losses == self.losses { client?.finished(last) }
  }

  private func dispatch(_ arrival: EventSystemClient.Arrival, _ drained: Int64) {
    var stamps = HopStamps()
    stamps.brokerRead = arrival.events.readNanoseconds
    stamps.brokerSent = arrival.events.deliveryNanoseconds
    stamps.received = arrival.receivedNanoseconds
    stamps.drained = drained
    for item in arrival.events.events {
      stamps.injected = item.event.timestampNanoseconds
      windows.first { $0.id == item.windowID }?.dispatch(item.event, stamps)
    }
  }

  // MARK: The broker

  private func changed(_ change: EventSystemClient.Change) {
    switch change {
    case .lost: brokerLost()
    case .restored: brokerRestored()
    }
  }

  /// What had arrived is dispatched, then everything that is down is cancelled: all in this turn.
  private func brokerLost() {
    losses += 1
    isLost = true
    fetch()
    drain()
    var stamps = HopStamps()
    stamps.received = now()
    for window in windows {
      window.id = nil
      window.cancelTouches(stamps)
    }
    onBrokerChange?(.lost)
  }

  private func brokerRestored() {
    isLost = false
    registerMissing()
    onBrokerChange?(.restored)
  }

  /// A broker that has no room now may have some later.
  private func registerMissing() {
    guard client != nil else { return }
    for window in windows where window.id == nil { try? register(window) }
    if windows.allSatisfy({ $0.id != nil }) || isLost { return }
    let timer = RunLoop.Timer(fireAfter: Self.windowRetry) { [weak self] _ in self?.registerMissing() }
    loop.add(timer, to: .common)
  }
}

/// CLOCK_MONOTONIC.
func now() -> Int64 { Instant.now.nanoseconds }
