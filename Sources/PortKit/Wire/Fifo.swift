/// First in, first out, each in O(1) on average. Pure.
struct Fifo<Element> {
  private var elements: [Element] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }
  var count: Int { elements.count - head }
  var first: Element? { isEmpty ? nil : elements[head] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard let first else { return nil }
    head += 1
    if isEmpty {
      elements.removeAll(keepingCapacity: elements.capacity <= 64)
      head = 0
    } else if head > 32, 2 * head > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return first
  }

  mutating func removeAll() { self = Fifo() }
}
