import FoundationEssentials
package import LinuxSystem

/// What the kernel counts of a running process.
package enum ProcessCensus {
  package static func descriptors(of process: ChildProcess) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processID)/fd").count
  }

  /// The descriptors by what they are: sockets, pollers and so on.
  package static func kinds(of process: ChildProcess) throws -> [String: Int] {
    let directory = "/proc/\(process.processID)/fd"
    var counts: [String: Int] = [:]
    for entry in try FileManager.default.contentsOfDirectory(atPath: directory) {
      let link = (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(entry)")) ?? "closed"
      counts[link.hasPrefix("socket:") ? "socket" : link, default: 0] += 1
    }
    return counts
  }

  /// Bytes of memory that are its own: heap and stacks, not files.
  package static func memory(of process: ChildProcess) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
      throw StageError.noLine("RssAnon", seen: [status])
    }
    return number * 1024
  }

  /// The figure when it is no more than `goal`; else what it still is at the end of `limit`.
  package static func settled(_ goal: Int, within limit: Duration, _ figure: () throws -> Int) rethrows -> Int {
    let deadline = Deadline(after: limit)
    while true {
      let found = try figure()
      if found <= goal || deadline.hasPassed { return found }
    }
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

  /// A variable in the environment of the first child of a process.
  package static func variable(_ name: String, ofChildOf process: ChildProcess) throws -> String? {
    for child in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int32(child) != nil {
      guard let status = try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8),
        status.contains("\nPPid:\t\(process.processID)\n"),
        let data = try? Data(contentsOf: URL(filePath: "/proc/\(child)/environ"))
      else { continue }
      let entries = data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      if let entry = entries.first(where: { $0.hasPrefix(name + "=") }) {
        return String(entry.dropFirst(name.count + 1))
      }
    }
    return nil
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
