/// When an event passed each station on its way to a view, in nanoseconds of CLOCK_MONOTONIC, which all processes of the
/// machine share.
public struct HopStamps: Hashable, Sendable {
  /// The device or injector made it.
  public var injected: Int64 = 0
  /// The broker got it.
  public var brokerRead: Int64 = 0
  /// The broker sent it on.
  public var brokerSent: Int64 = 0
  /// The Source1 of the event port gave it out.
  public var received: Int64 = 0
  /// The Source0 of the event queue took it up.
  public var drained: Int64 = 0
  /// The view's method was called.
  public var viewed: Int64 = 0

  public init() {}
}
