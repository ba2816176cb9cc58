/// What a program tells its parent when it ends.
package struct ExitStatus: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32
  package init(rawValue: Int32) { self.rawValue = rawValue }
  private init(_ rawValue: Int32) { self.rawValue = rawValue }

  package static let done = ExitStatus(0)
  package static let failed = ExitStatus(1)
  package static let usage = ExitStatus(2)
  package static let brokerUnreachable = ExitStatus(3)
  /// No service, window or client of that name.
  package static let noSuchTarget = ExitStatus(4)
  package static let notPermitted = ExitStatus(5)
  /// The point is off the display, hits nothing, or belongs to another than the target asked for.
  package static let nothingHit = ExitStatus(6)
  package static let inputUnusable = ExitStatus(7)
  /// As timeout(1).
  package static let timedOut = ExitStatus(124)

  /// The daemon's own numbers, those of LSB init scripts where they differ from the tool's.
  package enum Daemon {
    package static let noPermission = ExitStatus(4)
    package static let notConfigured = ExitStatus(6)
  }

  /// One line of the manual's table.
  package struct Meaning: Sendable {
    package var status: ExitStatus
    package var text: String

    package init(_ status: ExitStatus, _ text: String) {
      self.status = status
      self.text = text
    }
  }

  /// For all verbs of the command-line tool.
  package static let toolTable: [Meaning] = [
    Meaning(.done, "Done"),
    Meaning(.failed, "The operation failed"),
    Meaning(.usage, "The command line was wrong"),
    Meaning(.brokerUnreachable, "The broker cannot be reached"),
    Meaning(.noSuchTarget, "There is no such service, window or client"),
    Meaning(.notPermitted, "Not permitted"),
    Meaning(.nothingHit, "The point is off the display, hits nothing, or misses the target"),
    Meaning(.inputUnusable, "An input file cannot be used"),
    Meaning(.timedOut, "The time ran out"),
  ]

  package static let daemonTable: [Meaning] = [
    Meaning(.done, "Stopped in order"),
    Meaning(.failed, "Failed while running"),
    Meaning(.usage, "The command line was wrong"),
    Meaning(Daemon.noPermission, "A directory or socket is not its own"),
    Meaning(Daemon.notConfigured, "The environment lacks what the daemon needs"),
  ]
}
