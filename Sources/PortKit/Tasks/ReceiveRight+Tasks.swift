import LinuxSystem

extension ReceiveRight {
  /// Receives the next message (MACH_RCV_MSG) without holding a thread. Tasks and threads that wait for one port are
  /// served in the order in which they came, one message each.
  ///
  /// Throws `timedOut`, `portChanged` and `deadName` as ``receive(timeout:)`` does, and `cancelled` when its task is:
  /// the message that it did not get stays in the port for the next one. Costs the port no descriptor, but the process
  /// one thread for all that is asynchronous.
  ///
  /// It is not named `receive`, because Swift would pick one of the two by where the expression stands. Messages cannot
  /// be copied, and so cannot be the elements of an `AsyncSequence`: call this in a loop.
  ///
  /// - Parameter timeout: nil waits for ever, `.zero` not at all.
  public borrowing func nextMessage(timeout: Duration? = nil) async throws(PortError) -> Message {
    try await mailbox.receiveInTask(owner: owner, until: Deadline(after: timeout))
  }
}
