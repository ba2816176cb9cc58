import FoundationEssentials
package import LinuxSystem

/// Whose the other ends of a process's sockets are, as `ss` of iproute2 tells. For people who look for a descriptor
/// that nobody counted; nothing depends on it.
package struct SocketCensus {
  /// The descriptors of the process by what is at the other end: processes with theirs, or why there is none.
  package private(set) var peers: [String: [String]] = [:]

  private struct Line {
    let inode: Substring
    let peer: Substring
    /// As `pid=1,fd=2` each.
    let users: [String]

    /// Netid, state, two queues, address and inode, the peer's address and inode, users.
    init?(_ text: String) {
      let words = text.split(separator: " ", omittingEmptySubsequences: true)
      guard words.count >= 8 else { return nil }
      (inode, peer) = (words[5], words[7])
      users = words.dropFirst(8).joined().split(separator: "(").compactMap { user in
        guard let name = user.firstIndex(of: ","), let end = user.firstIndex(of: ")"), name < end else { return nil }
        return String(user[name..<end].dropFirst())
      }
    }
  }

  package init(of process: ChildProcess) throws {
    let listing = try ChildProcess("/usr/bin/env", ["ss", "-xapnH"])
    var lines: [Substring: Line] = [:]
    while let text = listing.readLine(until: Deadline(after: .seconds(10))) {
      if let line = Line(text) { lines[line.inode] = line }
    }
    _ = listing.wait(until: Deadline(after: .seconds(10)))
    for line in lines.values {
      for user in line.users where user.hasPrefix("pid=\(process.processID),") {
        peers[Self.owner(of: line.peer, in: lines), default: []].append("\(user.drop { $0 != "f" })[\(line.inode)]")
      }
    }
  }

  private static func owner(of peer: Substring, in lines: [Substring: Line]) -> String {
    if peer == "0" { return "hung up" }
    guard let users = lines[peer]?.users, !users.isEmpty else { return "in a message, or closed just now" }
    return Set(users.map { String($0.prefix { $0 != "," }) }).sorted().joined(separator: " ")
  }
}
