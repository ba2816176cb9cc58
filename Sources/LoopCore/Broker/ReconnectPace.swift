import LinuxSystem

/// How soon a client tries again whose connection broke right after it was made: a broker that takes connections only
/// to close them, as one without descriptors does, must not be stormed. Pure.
struct ReconnectPace {
  private var connectedAt: Instant?
  private var pause = Duration.zero

  mutating func connected(at now: Instant) { connectedAt = now }

  /// Zero after a connection that lasted; else twice the last pause, within limits.
  mutating func pause(afterLossAt now: Instant) -> Duration {
    guard let start = connectedAt, start.duration(to: now) < LoopLimits.steadyConnection else {
      pause = .zero
      return pause
    }
    pause = pause == .zero ? LoopLimits.reconnectPauseMin : min(pause * 2, LoopLimits.reconnectPauseMax)
    return pause
  }
}
