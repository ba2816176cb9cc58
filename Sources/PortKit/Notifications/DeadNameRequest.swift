/// Tells the dead-name notifications of one process apart: what comes of a request names it. A value to compare, which
/// keeps nothing alive.
public struct DeadNameRequest: Hashable, Sendable {
  let number: UInt64
}
