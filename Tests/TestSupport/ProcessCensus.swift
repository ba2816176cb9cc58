import FoundationEssentials
package import LinuxSystem

/// What the kernel counts of a running process.
package enum ProcessCensus {
  package static func descriptors(of process: ChildProcess) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processID)/fd").count
  }

  /// How often its threads waited, by thread: each wake-up is followed by one.
  package static func waits(of process: ChildProcess) throws -> [String: Int] {
    let tasks = "/proc/\(process.processID)/task"
    var counts: [String: Int] = [:]
    for thread in try FileManager.default.contentsOfDirectory(atPath: tasks) {
      let status = try String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
      counts[thread] = line.flatMap { Int($0.split(separator: "\t").last ?? "") }
    }
    return counts
  }

  /// The kernel's letter: R, S, T and so on.
  static func state(of process: ChildProcess) throws -> Substring {
    let text = try String(contentsOfFile: "/proc/\(process.processID)/stat", encoding: .utf8)
    // The name before it may contain anything.
    return text[(text.lastIndex(of: ")") ?? text.startIndex)...].dropFirst(2).prefix(1)
  }

  /// Processes whose environment or command line names the text.
  package static func processes(naming text: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
      guard Int32(name) != nil, Int32(name) != ProcessFacts.processID else { return false }
      return ["environ", "cmdline"].contains { file in
        guard let data = try? Data(contentsOf: URL(filePath: "/proc/\(name)/\(file)")) else { return false }
        return String(decoding: data, as: UTF8.self).contains(text)
      }
    }
  }
}

extension ChildProcess {
  /// Stops it (SIGSTOP) and returns when it stands still.
  package func pause() throws {
    signal(19)
    let deadline = Deadline(after: .seconds(10))
    while try ProcessCensus.state(of: self) != "T" {
      if deadline.hasPassed { throw StageError.stillRunning(seen: []) }
    }
  }

  /// SIGCONT.
  package func resume() { signal(18) }
}
