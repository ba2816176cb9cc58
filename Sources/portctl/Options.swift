import HIDKit
import ServiceKit

/// The command line of portctl as data: parser, help, manual page and completions are made from it.
enum Options {
  static let program = ProgramSpec(
    version: ProductVersion.current, root: root,
    groups: [
      .init("Input", [tap, swipe, pinch, key]),
      .init("Look", [services, windows]),
      .init("Set-up", [completion, man]),
    ],
    exitStatuses: ExitStatus.toolTable,
    manual: .init(
      section: 1, date: ProductVersion.manualDate,
      environment: [
        (name: "PORTD_SOCKET", purpose: "The broker's socket, unless --socket is given"),
        (name: "XDG_RUNTIME_DIR", purpose: "The directory below which the broker's own one lies"),
      ],
      files: [(path: "$XDG_RUNTIME_DIR/portd/bootstrap.sock", purpose: "The broker's socket")],
      seeAlso: [(name: "portd", section: 8)]))

  /// Points of the display that the broker shows; where it ends is for the broker to say.
  private static let coordinate = ValueKind.number(ValueKind.everyNumber)
  /// Long enough for every gesture and every patient script, short enough to be no slip of the finger.
  private static let pause = ValueKind.duration(.zero ... .seconds(60))

  private static let root = CommandSpec(
    "portctl", "Send touches and keys through the broker and show what it knows",
    discussion: [
      "Coordinates are points of the display from its upper left corner. Times are seconds unless a unit follows: "
        + "2, 0.3, 300ms, 1min. Results go to standard output, remarks to standard error. Put '--' before the operands "
        + "when one of them is negative."
    ],
    options: [
      OptionSpec("socket", "PATH", .path, "Talk to the broker at this socket"),
      OptionSpec(
        "timeout", "S", .duration(.milliseconds(1) ... .seconds(86400)), default: "5",
        "Wait so long for the broker and the clients, each event"),
      OptionSpec("json", "Print one line of JSON instead of text for people"),
      OptionSpec("quiet", letter: "q", "Print nothing when all went well"),
    ],
    examples: [
      ExampleSpec("Touch the middle of a display of 1024 by 768 points", "portctl tap 512 384"),
      ExampleSpec("Throw a list upwards", "portctl swipe 512 600 512 100 --duration 150ms"),
    ])

  private static let tap = CommandSpec(
    "tap", "Touch a point and let go",
    operands: [
      OperandSpec("X", coordinate, "Distance from the left edge"),
      OperandSpec("Y", coordinate, "Distance from the upper edge"),
    ],
    options: [
      OptionSpec("hold", "S", pause, default: "50ms", "How long the finger stays down"),
      OptionSpec("count", "N", .integer(1...1000), default: "1", "How many taps"),
      OptionSpec("interval", "S", pause, default: "100ms", "From one tap's end to the next one's begin"),
    ],
    examples: [ExampleSpec("Tap twice in quick succession", "portctl tap 40 40 --count 2 --interval 80ms")])

  private static let swipe = CommandSpec(
    "swipe", "Draw one finger from one point to another",
    operands: [
      OperandSpec("X1", coordinate, "Where the finger comes down, from the left edge"),
      OperandSpec("Y1", coordinate, "Where the finger comes down, from the upper edge"),
      OperandSpec("X2", coordinate, "Where it is lifted, from the left edge"),
      OperandSpec("Y2", coordinate, "Where it is lifted, from the upper edge"),
    ],
    options: [
      OptionSpec("duration", "S", pause, default: "300ms", "From touch to lift"),
      OptionSpec("steps", "N", .integer(1...10_000), default: "20", "How many moves on the way"),
    ],
    examples: [ExampleSpec("Draw slowly to the right", "portctl swipe 100 300 900 300 --duration 2s --steps 100")])

  private static let pinch = CommandSpec(
    "pinch", "Move two fingers apart or together around a point",
    operands: [
      OperandSpec("X", coordinate, "The middle, from the left edge"),
      OperandSpec("Y", coordinate, "The middle, from the upper edge"),
      OperandSpec("SCALE", .number(0.01...100), "Above 1 the fingers move apart, below 1 together"),
    ],
    options: [
      OptionSpec("radius", "PT", .number(1...10_000), default: "100", "Half the wider distance between the fingers"),
      OptionSpec("duration", "S", pause, default: "500ms", "From touch to lift"),
    ],
    examples: [ExampleSpec("Zoom in by two", "portctl pinch 512 384 2")])

  private static let key = CommandSpec(
    "key", "Press keys one after another",
    discussion: [
      "A key is a place on the keyboard: a name of the list below or the kernel's, with or without KEY_, in small "
        + "or capital letters, or the number of its usage in the HID tables, with at least two digits or as 0x28.",
      "Names: " + HIDUsage.names.joined(separator: ", ") + ".",
    ],
    operands: [OperandSpec("KEY", .text, count: .oneOrMore, "A key's name or number")],
    options: [OptionSpec("hold", "S", pause, default: "50ms", "How long each key stays down")],
    examples: [ExampleSpec("Type two letters and confirm", "portctl key h i enter")])

  private static let services = CommandSpec(
    "services", "List the names that services have checked in",
    examples: [ExampleSpec("Feed a script", "portctl services --json")])

  private static let windows = CommandSpec("windows", "List the windows from front to back")

  private static let completion = CommandSpec(
    "completion", "Print the completion script of a shell",
    operands: [OperandSpec("SHELL", .choice(Shell.allCases.map(\.rawValue)), "The shell that is to read it")],
    examples: [ExampleSpec("Complete in this shell from now on", "source <(portctl completion bash)")])

  private static let man = CommandSpec("man", "Print the manual page in mdoc, for man -l -")
}
