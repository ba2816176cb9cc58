/// What can be put into modes. A class of ours conforms and keeps where it is; the loop decides, the item files itself
/// in the mode's lists.
///
/// An item belongs to at most one loop: that of its modes. The loop holds its items; an item knows its loop without
/// holding it, and is taken out of everything before its loop ends.
protocol LoopItem: AnyObject {
  var isValid: Bool { get }
  /// Nil while the item is in no mode and not a common item.
  var loop: RunLoop? { get set }
  func isIn(_ mode: ModeState) -> Bool
  /// The modes that the item is in.
  var modes: [ModeState] { get }
  /// Files the item in a mode that it is not in; `loop` is set already.
  func join(_ mode: ModeState, of loop: RunLoop)
  /// Takes the item out of a mode that it is in.
  func leave(_ mode: ModeState, of loop: RunLoop)
}

/// One mode that an item is in, with what the mode needs to find the item again.
struct Place<Ticket> {
  let mode: ModeState
  var ticket: Ticket
}
