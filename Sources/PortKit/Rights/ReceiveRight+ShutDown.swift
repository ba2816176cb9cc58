extension ReceiveRight {
  /// Stops a service without losing a request: cuts every right off, handles what was sent before, and destroys the
  /// port.
  ///
  /// The kernel makes the cut between two messages. One that was sent before it is handled here, and a call among them
  /// ends as the handler says; one that comes after it was never sent: its sender gets it back with `deadName`, also
  /// one that waited for room. Nothing lies in between. The right is used up, so no other thread receives from the
  /// port.
  ///
  /// A request whose reply right the handler takes out is answered later, by whoever has the right: it outlives the
  /// port. One that it neither answers nor takes ends with `replyDropped`. Notifications are not handled.
  ///
  /// - Parameters:
  ///   - replyTimeout: the timeout of each reply's send (``SendOnceRight/send(_:timeout:)``). Callers that do not read
  ///     hold up nothing.
  ///   - handler: returns the reply, or nil for none.
  public consuming func shutDown(
    replyTimeout: Duration? = Limits.sendTimeout, handling handler: (inout Message) -> Message?
  ) throws(PortError) {
    try mailbox.cutOff(owner: owner)
    // A wire gives what is in it and then its end, so nothing is left when nothing is ready.
    while true {
      guard var message = try mailbox.receiveIfReady(owner: owner) else {
        if mailbox.hasStagedMail { continue }
        return
      }
      if message.notification != nil { continue }
      guard let answer = handler(&message), let reply = message.takeReply() else { continue }
      // A caller that is gone or reads nothing loses its own reply and no other one's.
      _ = reply.send(answer, timeout: replyTimeout)
    }
  }
}
