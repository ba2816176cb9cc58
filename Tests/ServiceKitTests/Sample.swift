import LinuxSystem
import ServiceKit

/// A small program with one of everything.
enum Sample {
  static let program = ProgramSpec(
    version: "1.2.3",
    root: CommandSpec(
      "oven", "Bake bread", discussion: ["It is hot. Mind your fingers."],
      options: [OptionSpec("socket", "PATH", .path, "Where the oven listens"), OptionSpec("json", "Print JSON")],
      examples: [ExampleSpec("Bake a loaf", "oven bake rye")]),
    groups: [
      .init("Work", [bake, place]),
      .init("Secrets", [CommandSpec("secret", "Do not tell", isHidden: true)]),
    ],
    exitStatuses: [.init(.done, "Baked"), .init(.failed, "Burnt")],
    manual: .init(section: 1, date: "January 1, 2026", environment: [(name: "OVEN", purpose: "Which one")]))

  static let bake = CommandSpec(
    "bake", "Bake what you name",
    operands: [OperandSpec("FLOUR", .choice(["rye", "wheat"]), "The flour")],
    options: [
      OptionSpec("time", letter: "t", "S", .duration(.zero ... .seconds(60)), default: "2s", "How long"),
      OptionSpec("loaves", "N", .integer(1...9), default: "1", "How many"),
      OptionSpec("tin", "WxH", .size(1...99), "Size of the tin"),
      OptionSpec("steam", letter: "s", "Don't dry"),
    ],
    examples: [ExampleSpec("Two loaves", "oven bake wheat --loaves 2")])

  static let place = CommandSpec(
    "place", "Put loaves on a shelf",
    operands: [
      OperandSpec("X", .number(ValueKind.everyNumber), "From the left"),
      OperandSpec("LOAF", .text, count: .oneOrMore, "What to put there"),
    ])

  /// A program without commands.
  static let single = ProgramSpec(
    version: "1.2.3",
    root: CommandSpec(
      "kiln", "Fire pots", operands: [OperandSpec("POT", .text, count: .optional, "What to fire")],
      options: [OptionSpec("level", "LEVEL", .choice(["low", "high"]), default: "low", "How hot")]),
    exitStatuses: [], manual: .init(section: 8, date: "January 1, 2026"))
}

/// A console that remembers.
final class Recorder: Sendable {
  private let texts = Monitor<(data: String, talk: String)>((data: "", talk: ""))

  var data: String { texts.withLock { $0.data } }
  var talk: String { texts.withLock { $0.talk } }
  var console: Console {
    Console(
      data: { text in self.texts.withLock { $0.data += text } },
      talk: { text in self.texts.withLock { $0.talk += text } })
  }
}
