package import LinuxSystem

/// Holds descriptors, so that only a few more can be opened in this process. For exit tests.
package final class DescriptorFiller {
  private let counter: EventCounter
  private var held: [CInt] = []

  /// Sets the soft limit and fills it up, but for `room`.
  package init(limit: Int, room: Int) throws(Errno) {
    counter = try EventCounter()
    try setDescriptorLimit(limit)
    fillUntilQuiet()
    release(room)
  }

  /// The test library lets go of descriptors of its own in the first moments of an exit test.
  private func fillUntilQuiet() {
    var quietLooks = 0
    while quietLooks < 4 {
      let before = held.count
      fill()
      quietLooks = held.count == before ? quietLooks + 1 : 0
      let pause = Deadline(after: .milliseconds(5))
      _ = try? waitForReadiness(of: counter.descriptor.number, .readable, until: pause)
    }
  }

  private func fill() {
    while let copy = try? counter.descriptor.duplicate() { held.append(copy.relinquish()) }
  }

  /// Room for so many and no more, whatever was closed since: the test library has descriptors of its own.
  package func leave(_ room: Int) {
    fill()
    release(room)
  }

  package func release(_ count: Int) {
    for _ in 0..<count { if let number = held.popLast() { _ = Descriptor(owning: number) } }
  }

  deinit { release(held.count) }
}
