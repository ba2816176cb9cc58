import LinuxSystem

/// The rights that this process holds, each with the call that it came from: for finding the one that is never let go.
///
/// Off unless `start()` was called or the environment has `PORTKIT_RIGHTS`; rights from before are not in it. Rights
/// inside messages belong to nobody and are not listed until they are taken out. Usable from every thread. Costs an
/// allocation and a system call for each right while it is on, and neither while it is off.
public struct RightsReport: Sendable, CustomStringConvertible {
  /// What sort of right it is. (MACH_PORT_TYPE_*)
  public enum Kind: String, Hashable, Sendable {
    /// A port. (MACH_PORT_TYPE_RECEIVE)
    case receive
    /// (MACH_PORT_TYPE_SEND)
    case send
    /// (MACH_PORT_TYPE_SEND_ONCE)
    case sendOnce = "send-once"
  }

  /// One living right.
  public struct Entry: Hashable, Sendable, CustomStringConvertible {
    /// What sort of right it is.
    public let kind: Kind
    /// The wire's socket as `ss` shows it, at the holder's end; of a receive right the number of its ``PortID``; 0 of a
    /// reply right that answers on its caller's wire.
    public let cookie: UInt64
    /// The call that made or took the right.
    public let fileID: String
    /// The line of that call.
    public let line: UInt

    public var description: String { "\(kind.rawValue) right \(cookie) from \(fileID):\(line)" }
  }

  /// In the order in which they came.
  public let entries: [Entry]

  /// The rights that are alive now.
  public static func current() -> RightsReport { RightsReport(entries: RightRecord.entries) }

  /// Lists what is made or taken from now on.
  public static func start() { RightRecord.turn(on: true) }

  /// What is listed stays until it is destroyed.
  public static func stop() { RightRecord.turn(on: false) }

  /// Prints to standard error what is still alive when the program ends with `exit` or the end of its main function.
  public static func printAtExit() {
    start()
    runAtExit {
      let report = RightsReport.current()
      if !report.entries.isEmpty { try? StandardStream.error.write("\(report)\n") }
    }
  }

  public var description: String {
    "rights alive: \(entries.count)" + entries.map { "\n  \($0)" }.joined()
  }
}
