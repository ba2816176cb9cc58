import Glibc
import LinuxSystem

/// Where a program writes: data to standard output, talk to standard error.
package struct Console: Sendable {
  private let putData: @Sendable (String) -> Void
  private let putTalk: @Sendable (String) -> Void

  package init(data: @escaping @Sendable (String) -> Void, talk: @escaping @Sendable (String) -> Void) {
    self.putData = data
    self.putTalk = talk
  }

  /// What the caller asked for. Text is written as it is, line ends included.
  package func data(_ text: String) { putData(text) }

  /// Remarks, one per call; the line end is added. Nothing in it can break the line.
  package func talk(_ line: String) { putTalk(VisibleText.escaped(line) + "\n") }

  /// The process's own streams. When the reader of the data has gone (`portctl … | head`), the process ends at once,
  /// quietly and with success; when the data cannot be written (a full disk), with a remark and a failure.
  package static func standard(program: String) -> Console {
    Console(
      data: { text in
        do throws(Errno) {
          try StandardStream.output.write(text)
        } catch {
          if error == .brokenPipe { exit(ExitStatus.done.rawValue) }
          try? StandardStream.error.write("\(program): cannot write the output: \(error)\n")
          exit(ExitStatus.failed.rawValue)
        }
      },
      // Nobody is left to hear that nobody listens.
      talk: { try? StandardStream.error.write($0) })
  }
}
