import LinuxSystem
import TestSupport

@testable import LoopCore

typealias Loop = RunLoop

extension RunLoop.Mode {
  static let x = RunLoop.Mode("X")
  static let y = RunLoop.Mode("Y")
}

extension RunLoop {
  /// Keeps the mode from being empty.
  @discardableResult
  func keep(_ mode: Mode = .default) -> Timer {
    let timer = Timer(fireAfter: .seconds(3600)) { _ in }
    add(timer, to: mode)
    return timer
  }

  /// A one-shot.
  @discardableResult
  func after(_ delay: Duration, in mode: Mode = .default, _ fire: @escaping (Timer) -> Void) -> Timer {
    let timer = Timer(fireAfter: delay, fire)
    add(timer, to: mode)
    return timer
  }

  @discardableResult
  func every(
    _ period: Duration, after delay: Duration, in mode: Mode = .default, _ fire: @escaping (Timer) -> Void
  ) -> Timer {
    let timer = Timer(fireAfter: delay, every: period, fire)
    add(timer, to: mode)
    return timer
  }

  @discardableResult
  func observe(
    _ activities: Activity, order: Int = 0, in mode: Mode = .default, _ callout: @escaping (Activity) -> Void
  ) -> Observer {
    let observer = Observer(activities, order: order, callout)
    add(observer, to: mode)
    return observer
  }

  @discardableResult
  func source(order: Int = 0, in mode: Mode = .default, _ perform: @escaping () -> Void) -> Source0 {
    let source = Source0(order: order, perform)
    add(source, to: mode)
    return source
  }
}

/// An object whose end can be seen.
final class Token {}

/// Counts what other threads wait for.
final class Counter: Sendable {
  private let monitor = Monitor(0)

  var value: Int { monitor.withLock { $0 } }

  func bump() { monitor.withLock { $0 += 1 } }
}
