import LoopCore
import PortKit

/// Where the broker hears of the death of ports that it holds rights to.
final class NoticePort {
  private var actions: [DeadNameRequest: () -> Void] = [:]
  private var source: RunLoop.Source1?

  init(on loop: RunLoop) throws(PortError) {
    let source = RunLoop.Source1(try ReceiveRight()) { [unowned self] message in
      if case .deadName(let request) = message.notification { actions.removeValue(forKey: request)?() }
      return nil
    }
    self.source = source
    loop.add(source, to: .common)
  }

  /// Runs `action` once when the port behind `right` is dead.
  func watch(_ right: borrowing SendRight, _ action: @escaping () -> Void) throws(PortError) -> DeadNameRequest {
    let request = try source?.withRight { (port) throws(PortError) in try right.requestDeadNameNotification(to: port) }
    guard let request else { throw .deadName }
    actions[request] = action
    return request
  }

  func forget(_ request: DeadNameRequest) { actions[request] = nil }
}
