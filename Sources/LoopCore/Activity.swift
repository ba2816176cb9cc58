extension RunLoop {
  /// The moments of a run at which observers are called. The values are CFRunLoop's.
  public struct Activity: OptionSet, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The run begins. Once per run, also for nested runs.
    public static let entry = Activity(rawValue: 1)
    /// A turn begins. Nothing says that a timer is due: timers fire after the wait.
    public static let beforeTimers = Activity(rawValue: 2)
    /// Signalled sources are about to be performed.
    public static let beforeSources = Activity(rawValue: 4)
    /// The loop is about to sleep. Not sent in a turn that only polls.
    public static let beforeWaiting = Activity(rawValue: 32)
    /// The loop woke and has not served what woke it.
    public static let afterWaiting = Activity(rawValue: 64)
    /// The run ends. Once per run, with the mode still current.
    public static let exit = Activity(rawValue: 128)
    public static let all = Activity(rawValue: 0x0FFF_FFFF)

    static let each: [Activity] = [.entry, .beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting, .exit]

    public var description: String {
      let names = ["entry", "beforeTimers", "beforeSources", "beforeWaiting", "afterWaiting", "exit"]
      return zip(Self.each, names).filter { contains($0.0) }.map(\.1).joined(separator: "|")
    }
  }
}
