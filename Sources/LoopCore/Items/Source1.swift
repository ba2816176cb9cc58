public import PortKit

extension RunLoop {
  /// A port on a loop: each message wakes the loop and is given to the callout, one per turn.
  ///
  /// The source owns the receive right. Belongs to one loop at a time and may be in many of its modes; each message is
  /// served once. To be used on that loop's thread.
  public final class Source1: LoopItem {
    /// Gets a message that is the callout's to change and to take rights out of. What it returns is sent as the reply
    /// when the sender waits for one and the callout did not take the reply right. A reply right that is left in the
    /// message is destroyed with it: the caller's call ends with `replyDropped`.
    ///
    /// `inout` and not `consuming`, so that both ways to answer exist: what is consumed has no reply right any more.
    /// The loop does not wait for room for a reply; a caller that leaves none gets `replyDropped`.
    public typealias Callout = (_ message: inout Message) -> Message?

    /// Kept for a listing of sources; ports are served in the order in which they became ready, whatever their orders.
    public let order: Int
    public private(set) var isValid = true

    let number: CInt
    private var right: ReceiveRight?
    private var callout: Callout?
    /// Received by the wait, not yet given out. It is out of the port, so it stays here until a run delivers it.
    private var held: Message?
    unowned var loop: RunLoop?
    private var places: [Place<PortKey>] = []

    public init(_ right: consuming ReceiveRight, order: Int = 0, _ callout: @escaping Callout) {
      self.order = order
      self.callout = callout
      number = right.pollDescriptor
      self.right = consume right
    }

    /// Lends the right, to make send rights from it or to ask for notifications; nil after `invalidate()`.
    /// The closure must not invalidate the source.
    public func withRight<Result: ~Copyable, Failure: Error>(
      _ body: (borrowing ReceiveRight) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
      loop?.assertOwner()
      guard right != nil else { return nil }
      // A notification that is due at once shows in no descriptor.
      defer { markReadyIfMailIsInHand() }
      return try body(right!)
    }

    /// Leaves all modes for good, releases the closure and destroys the right with the mail in it: send rights to the
    /// port become dead names.
    public func invalidate() {
      loop?.assertOwner()
      guard isValid else { return }
      isValid = false
      callout = nil
      loop?.evict(self)
      // After the pollers let go of its descriptor.
      held = nil
      right = nil
    }

    // MARK: The loop's side

    /// Receives one message unless one is held. False when there is none.
    func fetch() -> Bool {
      if held != nil { return true }
      guard right != nil else { return false }
      // An error is a shortage that passes; the mail stays in the port and is seen again at the next look.
      held = (try? right!.receiveIfReady()) ?? nil
      // Before the callout: a run nested in it is to see the rest.
      if Self.hasStagedMail(right!) { markReady() }
      return held != nil
    }

    /// Gives the held message to the callout. False when a nested run did so meanwhile.
    func perform() -> Bool {
      guard let callout, var message = held.take() else { return false }
      if let answer = callout(&message), let reply = message.takeReply() {
        _ = reply.send(answer, timeout: .zero)
      }
      return true
    }

    /// The port's descriptor tells nothing of mail that is in hand, be it the port's or ours.
    func markReadyIfMailIsInHand() {
      guard right != nil, held != nil || Self.hasStagedMail(right!) else { return }
      markReady()
    }

    /// In all modes: each message goes to the first of them that runs.
    private func markReady() {
      for place in places { place.mode.ready.markReady(place.ticket) }
    }

    /// Borrows what a property access through an optional would consume.
    private static func hasStagedMail(_ right: borrowing ReceiveRight) -> Bool { right.hasStagedMail }

    var modes: [ModeState] { places.map(\.mode) }

    func isIn(_ mode: ModeState) -> Bool { places.contains { $0.mode === mode } }

    func join(_ mode: ModeState, of loop: RunLoop) {
      let key = mode.admit(.port(self), bell: loop.remote)
      places.append(Place(mode: mode, ticket: key))
      markReadyIfMailIsInHand()
    }

    func leave(_ mode: ModeState, of loop: RunLoop) {
      guard let index = places.firstIndex(where: { $0.mode === mode }) else { return }
      mode.dismiss(places.remove(at: index).ticket, number: number)
    }
  }
}
