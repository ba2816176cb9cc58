/// What stands in a heap: the smallest rank comes first.
protocol HeapElement {
  associatedtype Rank: Comparable
  var rank: Rank { get }
}

/// A binary heap. Pure.
struct Heap<Element: HeapElement> {
  private(set) var elements: [Element] = []

  var first: Element? { elements.first }
  var isEmpty: Bool { elements.isEmpty }
  var count: Int { elements.count }

  mutating func push(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      if elements[parent].rank <= elements[child].rank { return }
      elements.swapAt(parent, child)
      child = parent
    }
  }

  mutating func popFirst() -> Element? {
    guard let first = elements.first, let last = elements.popLast() else { return nil }
    if elements.isEmpty { return first }
    elements[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      if child >= elements.count { return first }
      if child + 1 < elements.count, elements[child + 1].rank < elements[child].rank { child += 1 }
      if elements[parent].rank <= elements[child].rank { return first }
      elements.swapAt(parent, child)
      parent = child
    }
  }

  /// Gives each element another form, or drops it.
  mutating func rebuild(_ change: (Element) -> Element?) {
    let old = elements
    elements.removeAll(keepingCapacity: true)
    for element in old {
      if let new = change(element) { push(new) }
    }
  }
}
