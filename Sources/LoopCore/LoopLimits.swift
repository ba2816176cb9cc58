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
}
