import ServiceKit

/// The command line of portd as data.
enum Options {
  static let program = ProgramSpec(
    version: ProductVersion.current, root: root, exitStatuses: ExitStatus.daemonTable,
    manual: .init(
      section: 8, date: ProductVersion.manualDate,
      environment: [
        (name: "PORTD_SOCKET", purpose: "The socket, unless --socket is given"),
        (name: "XDG_RUNTIME_DIR", purpose: "The directory below which the daemon makes its own one"),
        (name: "JOURNAL_STREAM", purpose: "When it names standard error, log lines carry their priority as <n>"),
      ],
      files: [(path: "$XDG_RUNTIME_DIR/portd/bootstrap.sock", purpose: "The socket")],
      seeAlso: [(name: "portctl", section: 1)]))

  private static let root = CommandSpec(
    "portd", "Broker of port names and router of input events",
    discussion: [
      "The daemon stays in the foreground and stops in order on SIGTERM and SIGINT. It logs to standard error when it "
        + "starts, when it stops and when a client misbehaves. The directory of its socket must belong to the daemon's "
        + "user and be closed to all others; a missing one is made."
    ],
    options: [
      OptionSpec("socket", "PATH", .path, "Listen at this absolute path"),
      OptionSpec("display", "WxH", .size(1...16384), default: "1024x768", "Size of the display in points"),
      OptionSpec(
        "log-level", "LEVEL", .choice(LogLevel.allCases.map(\.name)), default: LogLevel.notice.name,
        "The least important kind of message to log: error, warning, notice, info or debug"),
    ],
    examples: [ExampleSpec("A broker of one's own for a test", "portd --socket /run/user/1000/test/portd/bus.sock")])
}
