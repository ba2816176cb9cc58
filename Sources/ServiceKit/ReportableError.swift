/// An error that knows how a program ends because of it.
package protocol ReportableError: Error {
  var exitStatus: ExitStatus { get }
  /// One line for people, without the program's name in front and a full stop behind.
  var report: String { get }
}

/// The plain case: a status and a sentence.
package struct CommandFailure: ReportableError, Hashable {
  package var exitStatus: ExitStatus
  package var report: String

  package init(_ exitStatus: ExitStatus, _ report: String) {
    self.exitStatus = exitStatus
    self.report = report
  }
}
