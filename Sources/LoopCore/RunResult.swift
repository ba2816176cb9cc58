extension RunLoop {
  /// Why a run ended.
  public enum RunResult: Hashable, Sendable {
    /// The mode held nothing to run: at the start (then nothing was called), or at the end of a turn.
    case finished
    /// `stop()` was called during this run.
    case stopped
    /// The time given to the run is over.
    case timedOut
    /// A source was performed, and the run was to return after that.
    case handledSource
  }

  /// Step 15, and its order of precedence: the first reason that holds is the result; nil means another turn.
  /// What is expensive to know is asked only when it decides.
  @inline(__always)
  static func verdict(
    returnsAfterSource: Bool, handledSource: Bool, deadlinePassed: @autoclosure () -> Bool,
    takeStop: @autoclosure () -> Bool, modeIsEmpty: @autoclosure () -> Bool
  ) -> RunResult? {
    if handledSource && returnsAfterSource { return .handledSource }
    if deadlinePassed() { return .timedOut }
    if takeStop() { return .stopped }
    if modeIsEmpty() { return .finished }
    return nil
  }
}
