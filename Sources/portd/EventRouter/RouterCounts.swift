/// What the router swallowed or put right, and why. Only ever added to.
struct RouterCounts: Hashable, Sendable {
  /// Downs where no window is; keys while no window exists.
  var downsOnNothing = 0
  var downsOffScreen = 0
  /// Downs for a client whose queue is full.
  var downsRefused = 0
  /// Downs of a sender that has as many contacts or keys down as it may.
  var downsOverLimit = 0
  /// Downs of a contact or key that was down already.
  var downsRepaired = 0
  /// Moves, repeats and ends of what is not down.
  var unknown = 0
  /// What a contact or key still said after its client was gone.
  var orphaned = 0
  /// Hands inside hands.
  var malformed = 0
}
