import HIDKit
import PortKit
import ServiceKit

/// The exit statuses for the errors of the libraries.
enum Failures {
  static func explain(_ error: any Error) -> CommandFailure? {
    switch error {
    case let error as EventSystemFailure: explain(error)
    case let error as BootstrapError: CommandFailure(status(error), error.description)
    case let error as EventScriptError: CommandFailure(.usage, error.description)
    default: nil
    }
  }

  private static func explain(_ error: EventSystemFailure) -> CommandFailure {
    switch error {
    case .broker(let error): CommandFailure(status(error), error.description)
    case .refused(let status): CommandFailure(self.status(status), status.description)
    case .malformedAnswer, .textTooLong: CommandFailure(.failed, error.description)
    }
  }

  private static func status(_ error: BootstrapError) -> ExitStatus {
    switch error {
    case .noRuntimeDirectory, .notReachable, .brokerLost: .brokerUnreachable
    case .untrustedBroker: .notPermitted
    case .unknownService: .noSuchTarget
    case .timedOut, .port(.timedOut): .timedOut
    case .serviceActive, .limitReached, .protocolMismatch, .port: .failed
    }
  }

  private static func status(_ status: EventSystemStatus) -> ExitStatus {
    switch status {
    case .noSuchWindow: .noSuchTarget
    case .offScreen: .nothingHit
    case .notPermitted: .notPermitted
    case .stopping: .brokerUnreachable
    case .ok, .malformed, .notOpen, .alreadyOpen, .limitReached: .failed
    }
  }
}
