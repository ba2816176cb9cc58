/// The bounds of a loop. All are far above honest use: who meets one has a leak, and learns where.
enum LoopLimits {
  /// Modes never vanish, so names made up at run time pile up.
  static let modes = 1_024
  /// Each level costs stack. Modal sessions nest a handful deep; a recursion by mistake ends here with a message
  /// instead of a fault.
  static let nestedRuns = 256
  /// Blocks that wait for a loop that nobody runs, or for a mode that is never entered.
  static let pendingBlocks = 1 << 20
  /// Items of one kind in one mode; table places have 32-bit numbers.
  static let itemsPerMode = 1 << 24

  /// A connection to the broker that lasted so long is no sign of a broker that turns clients away.
  static let steadyConnection: Duration = .seconds(1)

  /// Pauses between attempts while connections break at once: from hardly noticeable to hardly a load.
  static let reconnectPauseMin: Duration = .milliseconds(10)
  static let reconnectPauseMax: Duration = .seconds(2)

  /// Pause between attempts while the broker's directory cannot be watched.
  static let brokerRetry: Duration = .seconds(2)
}
