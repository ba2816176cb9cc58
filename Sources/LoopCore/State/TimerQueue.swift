package import LinuxSystem

/// What is due when: a binary heap by due instant, first come first served among equal ones.
///
/// Pure: it reads no clock. Each element has a ticket, so moving and removing one costs O(log n) as adding does.
/// A ticket is spent when its element is removed; using it again is a mistake of ours.
package struct TimerQueue<Element> {
  package struct Ticket: Hashable, Sendable { fileprivate let slot: Int32 }

  private struct Node {
    var due: Int64
    /// Orders equal instants: rises with each insertion and each move.
    var sequence: UInt64
    var slot: Int32

    static func < (a: Node, b: Node) -> Bool { a.due == b.due ? a.sequence < b.sequence : a.due < b.due }
  }

  private struct Slot {
    /// Where in the heap; -1 when free.
    var position: Int32
    var element: Element?
  }

  private var heap: [Node] = []
  private var slots: [Slot] = []
  private var freeSlots: [Int32] = []
  private var sequence: UInt64 = 0
  /// Kept from one collection to the next, so that a turn allocates nothing.
  private var found: [Node] = []

  package init() {}

  package var count: Int { heap.count }

  /// In no order.
  package var elements: [Element] { slots.compactMap(\.element) }

  /// The earliest due instant.
  package var earliest: Instant? { heap.first.map { Instant(nanoseconds: $0.due) } }

  @inline(__always)
  package func isDue(by now: Instant) -> Bool { !heap.isEmpty && heap[0].due <= now.nanoseconds }

  package mutating func insert(_ element: Element, due: Instant) -> Ticket {
    precondition(heap.count < LoopLimits.itemsPerMode, "too many timers in one mode")
    let slot: Int32
    if let free = freeSlots.popLast() {
      slot = free
      slots[Int(slot)].element = element
    } else {
      slot = Int32(slots.count)
      slots.append(Slot(position: -1, element: element))
    }
    heap.append(Node(due: due.nanoseconds, sequence: nextSequence(), slot: slot))
    siftUp(heap.count - 1)
    return Ticket(slot: slot)
  }

  /// The element goes behind those that are already due at the same instant.
  package mutating func move(_ ticket: Ticket, to due: Instant) {
    let position = position(of: ticket)
    heap[position].due = due.nanoseconds
    heap[position].sequence = nextSequence()
    settle(position)
  }

  @discardableResult
  package mutating func remove(_ ticket: Ticket) -> Element {
    let position = position(of: ticket)
    let element = slots[Int(ticket.slot)].element!
    slots[Int(ticket.slot)] = Slot(position: -1, element: nil)
    freeSlots.append(ticket.slot)
    let last = heap.removeLast()
    if position < heap.count {
      heap[position] = last
      settle(position)
    }
    return element
  }

  /// Appends the elements that are due by `now`, in order. They stay in the queue.
  /// Costs O(k log k) for k due ones, however many others there are.
  package mutating func collectDue(by now: Instant, into list: inout [Element]) {
    guard isDue(by: now) else { return }
    found.append(heap[0])
    // A parent is never due after its children: walk down from the root and stop at what is not due. `found` is at
    // the same time the result and the line of nodes whose children are still to be looked at.
    var next = 0
    while next < found.count {
      let position = Int(slots[Int(found[next].slot)].position)
      next += 1
      let left = 2 * position + 1
      if left < heap.count && heap[left].due <= now.nanoseconds { found.append(heap[left]) }
      if left + 1 < heap.count && heap[left + 1].due <= now.nanoseconds { found.append(heap[left + 1]) }
    }
    if found.count > 1 { found.sort { $0 < $1 } }
    for node in found { list.append(slots[Int(node.slot)].element!) }
    found.removeAll(keepingCapacity: true)
  }

  // MARK: Heap

  private func position(of ticket: Ticket) -> Int {
    let position = slots[Int(ticket.slot)].position
    precondition(position >= 0, "a timer's ticket was used after its removal")
    return Int(position)
  }

  private mutating func nextSequence() -> UInt64 {
    sequence += 1
    return sequence
  }

  private mutating func settle(_ position: Int) {
    if siftUp(position) == position { siftDown(position) }
  }

  /// Moves the node towards the root until its parent is not later. Returns its new position.
  @discardableResult
  private mutating func siftUp(_ start: Int) -> Int {
    let node = heap[start]
    var position = start
    while position > 0 {
      let parent = (position - 1) / 2
      guard node < heap[parent] else { break }
      place(heap[parent], at: position)
      position = parent
    }
    place(node, at: position)
    return position
  }

  private mutating func siftDown(_ start: Int) {
    let node = heap[start]
    var position = start
    while true {
      var child = 2 * position + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count && heap[child + 1] < heap[child] { child += 1 }
      guard heap[child] < node else { break }
      place(heap[child], at: position)
      position = child
    }
    place(node, at: position)
  }

  private mutating func place(_ node: Node, at position: Int) {
    heap[position] = node
    slots[Int(node.slot)].position = Int32(position)
  }

  package func checkInvariants() {
    precondition(slots.count == heap.count + freeSlots.count, "each slot is in the heap or free")
    for (position, node) in heap.enumerated() {
      precondition(slots[Int(node.slot)].position == Int32(position), "slots know their nodes")
      precondition(slots[Int(node.slot)].element != nil, "nodes have elements")
      if position > 0 { precondition(heap[(position - 1) / 2] < node, "parents come before their children") }
    }
    for slot in freeSlots { precondition(slots[Int(slot)].position == -1, "free slots are empty") }
  }
}
