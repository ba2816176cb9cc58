/// What happened to the touches of one window at one moment.
public struct TouchEvent {
  /// Those that changed.
  public let touches: [Touch]
  public let stamps: HopStamps
}
