/// Blocks that wait for a turn in one of their modes, first come first served.
///
/// A drain takes the whole list, runs what fits the mode and puts the rest back in front of what came meanwhile. So a
/// block enqueued by a block waits for the next drain, and so does, in a nested run, what an outer drain has in hand.
/// Pure: who drains runs the bodies.
package struct BlockQueue<Body> {
  package struct Block {
    package let modes: [RunLoop.Mode]
    /// Nil once it was run.
    package var body: Body?

    package init(modes: [RunLoop.Mode], body: Body) {
      self.modes = modes
      self.body = body
    }

    @inline(__always)
    package func runs(in mode: RunLoop.Mode, isCommon: Bool) -> Bool {
      modes.contains(mode) || (isCommon && modes.contains(.common))
    }
  }

  private var waiting: [Block] = []

  package init() {}

  package var isEmpty: Bool { waiting.isEmpty }
  package var count: Int { waiting.count }

  package mutating func enqueue(_ block: Block) {
    precondition(waiting.count < LoopLimits.pendingBlocks, "a million blocks wait for a loop that does not run them")
    waiting.append(block)
  }

  package func holdsBlock(for mode: RunLoop.Mode, isCommon: Bool) -> Bool {
    waiting.contains { $0.runs(in: mode, isCommon: isCommon) }
  }

  package mutating func takeAll() -> [Block] {
    let list = waiting
    waiting = []
    return list
  }

  /// Takes back what `takeAll` gave: the blocks whose body is still there go to the front.
  package mutating func putBack(_ list: consuming [Block]) {
    list.removeAll { $0.body == nil }
    if waiting.isEmpty {
      // With its room, so that a loop that gets a block each turn does not allocate a list each turn.
      waiting = list
    } else if !list.isEmpty {
      waiting.insert(contentsOf: list, at: 0)
    }
  }
}
