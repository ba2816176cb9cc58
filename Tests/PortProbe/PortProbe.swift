// The other process of tests with real processes. The first word is its role; what it does is told on standard output,
// a line for each event, so that a test can follow.
import HIDKit
import LinuxSystem
import LoopCore
import PortKit
import TestSupport
import TouchKit

@main struct PortProbe {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "echo": try ServiceRoles.echo(words[1])
    case "hang": try ServiceRoles.hang(words[1])
    case "call": try CallerRoles.call(words[1], count: Int(words[2])!)
    case "answer": try AnswerRole.run(words[1], answers: words[2] == "answers")
    case "costs": try CostRole.run()
    case "mover": try MoverRoles.passBack(words[1], most: Int(words[2])!)
    case "heir": try MoverRoles.receive(words[1], count: Int(words[2])!)
    case "relay": try RelayRole.run(words[1])
    case "pending": try PendingRole.run(words[1])
    case "fork": try ForkRole.run(children: Int(words[1])!)
    case "kept": try KeptRole.run(words[1])
    case "history": try HistoryActor.serve(SendRight(adopting: try NamedSocket.connect(to: words[1])))
    case "storm":
      try StormActor.serve(SendRight(adopting: try NamedSocket.connect(to: words[1])), tag: UInt32(words[2])!)
    case "wake": try WakeRole.run(words[1])
    case "puppet": try PuppetRole.run(words[1])
    case "pad": try PadRole.run(words[1], x: Double(words[2])!)
    default:
      say("PortProbe: no role \(words.first ?? "")")
      throw PortProbeError.unknownRole
    }
  }
}

enum PortProbeError: Error {
  case unknownRole
}

/// One line at once, so that a reader on a pipe sees it now.
func say(_ line: String) { try? StandardStream.output.write(line + "\n") }
