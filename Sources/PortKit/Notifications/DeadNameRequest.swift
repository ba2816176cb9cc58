/// Tells the dead-name notifications of one process apart.
public struct DeadNameRequest: Hashable, Sendable {
  let number: UInt64
}
