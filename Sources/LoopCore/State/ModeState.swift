import LinuxSystem

/// The items of one mode, and the set of descriptors that it waits for.
///
/// The poller is made when the mode first sleeps or gets a port; a mode that only polls, or only gets source0s, costs
/// no descriptor. It holds the ports level-triggered and the loop's bell edge-triggered: the bell is never read, each
/// ring is an edge for every mode of the loop, and an edge meant for an earlier sleep is recognised by the wake-up
/// count and slept over.
final class ModeState {
  static let bellKey = UInt64.max

  let name: RunLoop.Mode
  /// In ascending order; equal ones as added.
  private(set) var sources0: [RunLoop.Source0] = []
  var observers = ObserverList()
  /// Those that can become due.
  var timers = TimerQueue<RunLoop.Timer>()
  /// Those and the firing ones.
  var timerCount = 0
  var ready = ReadyList<PortMember>()
  private var poller: Poller?

  init(name: RunLoop.Mode) { self.name = name }

  /// Observers do not count.
  var isEmpty: Bool { sources0.isEmpty && timerCount == 0 && ready.memberCount == 0 }

  /// Without firing timers: asked at the end of the thread, when nothing fires.
  var allItems: [any LoopItem] {
    sources0 as [any LoopItem] + observers.all as [any LoopItem] + timers.elements + ready.members.map(\.item)
  }

  // MARK: Source0s

  func insert(_ source: RunLoop.Source0) {
    precondition(sources0.count < LoopLimits.itemsPerMode, "too many sources in one mode")
    sources0.insert(source, at: sources0.firstIndex { $0.order > source.order } ?? sources0.count)
  }

  func remove(_ source: RunLoop.Source0) { sources0.removeAll { $0 === source } }

  /// Appends those that are signalled, in the order in which they are to be performed.
  func collectSignalled(into list: inout [RunLoop.Source0]) {
    for source in sources0 where source.isSignalled { list.append(source) }
    if list.count > 1 {
      list.sort { $0.order == $1.order ? $0.signaller.firstSignal < $1.signaller.firstSignal : $0.order < $1.order }
    }
  }

  // MARK: Ports

  var hasPoller: Bool { poller != nil }

  func admit(_ member: PortMember, bell: RunLoop.Remote) -> PortKey {
    openPoller(bell: bell)
    let key = ready.join(member)
    do {
      try poller!.add(member.number, .readable, key: key.rawValue)
    } catch {
      preconditionFailure("mode \(name) cannot watch descriptor \(member.number): \(error)")
    }
    return key
  }

  func dismiss(_ key: PortKey, number: CInt) {
    ready.leave(key)
    poller!.remove(number)
  }

  func openPoller(bell: RunLoop.Remote) {
    guard poller == nil else { return }
    do {
      let poller = try Poller()
      try poller.add(bell.bell.descriptor.number, [.readable, .edgeTriggered], key: Self.bellKey)
      self.poller = consume poller
    } catch {
      preconditionFailure("mode \(name) cannot wait: \(error)")
    }
  }

  /// Puts what is ready into the ready list, in the kernel's order.
  func wait(into events: inout ReadyEvents, until deadline: Deadline) {
    do {
      try poller!.wait(into: &events, until: deadline)
    } catch {
      preconditionFailure("mode \(name) cannot wait: \(error)")
    }
    for index in 0..<events.count where events.key(index) != Self.bellKey {
      ready.markReady(PortKey(rawValue: events.key(index)))
    }
  }
}
